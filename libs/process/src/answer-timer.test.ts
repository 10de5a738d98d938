import { mock } from 'node:test';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { AnswerTimer } from './answer-timer.js';

let stalledMs: number;
let passedMs: number;
let calls: number;

beforeEach(() => {
  [stalledMs, passedMs, calls] = [0, 0, 0];
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => passedMs + stalledMs);
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const open = () => new AnswerTimer(30_000, () => (calls += 1));

function pass(ms: number): void {
  passedMs += ms;
  mock.timers.tick(ms);
}

test('calls back once when the time is over', () => {
  open();
  pass(29_999);
  expect(calls).toBe(0);
  pass(1);
  expect(calls).toBe(1);
  pass(100_000);
  expect(calls).toBe(1);
});

test('does not call back after it was cancelled', () => {
  const timer = open();
  pass(10_000);
  timer.cancel();
  pass(100_000);
  expect(calls).toBe(0);
});

test('starts once more after this process did not run', () => {
  open();
  stalledMs = 60_000;
  pass(30_000);
  expect(calls).toBe(0);
  stalledMs = 120_000;
  pass(30_000);
  expect(calls).toBe(1);
});

test('can be cancelled after this process did not run', () => {
  const timer = open();
  stalledMs = 60_000;
  pass(30_000);
  timer.cancel();
  pass(30_000);
  expect(calls).toBe(0);
});
