import { setMaxListeners } from 'node:events';
import { mock } from 'node:test';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { PreemptiveLimit } from './preemptive-limit.js';

const preemptAfterMs = 30_000;
const never = new AbortController().signal;
setMaxListeners(0, never);
const settle = () => new Promise(setImmediate);

let limit: PreemptiveLimit;
let began: string[];
let ends: Map<string, () => void>;

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  limit = new PreemptiveLimit(4, preemptAfterMs);
  began = [];
  ends = new Map();
});
afterEach(() => mock.timers.reset());

/** A task that runs until the test ends it, or its signal does. */
function task(name: string) {
  return (signal = never) => {
    began.push(name);
    return new Promise<string>((resolve, reject) => {
      ends.set(name, () => resolve(`${name} has ended`));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };
}

function preemptible(owner: string, name: string, signal = never): Promise<string> {
  return limit.runPreemptible(owner, task(name), signal);
}

async function end(name: string): Promise<void> {
  ends.get(name)?.();
  await settle();
}

/** Takes all places for tasks of two owners. Returns the results of the tasks of one. */
async function occupy(): Promise<{ a1: Promise<string>; a2: Promise<string> }> {
  const [a1, a2] = [preemptible('a', 'a1'), preemptible('a', 'a2')];
  void preemptible('b', 'b1');
  void preemptible('b', 'b2');
  await settle();
  return { a1, a2 };
}

test('does not stop a long task while no other task waits', async () => {
  const { a1 } = await occupy();
  mock.timers.tick(10 * preemptAfterMs);
  void preemptible('a', 'a3');
  await end('a1');
  expect(await a1).toBe('a1 has ended');
  expect(began).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
});

test('stops the oldest long task for each task of another owner', async () => {
  await occupy();
  mock.timers.tick(preemptAfterMs);
  for (const name of ['c1', 'c2']) void limit.run(name, task(name), never);
  await settle();
  expect(began.slice(4)).toEqual(['c1', 'c2']);
});

test('stops a task for one that waits as soon as it is long', async () => {
  await occupy();
  void preemptible('c', 'c1');
  mock.timers.tick(preemptAfterMs - 1);
  await settle();
  expect(began).toHaveLength(4);
  mock.timers.tick(1);
  await settle();
  expect(began[4]).toBe('c1');
});

test('repeats stopped tasks one by one for each owner, and does not stop them again', async () => {
  const { a1, a2 } = await occupy();
  mock.timers.tick(preemptAfterMs);
  for (const name of ['c1', 'c2']) void limit.run(name, task(name), never);
  await settle();
  for (const name of ['c1', 'c2']) await end(name);
  expect(began.slice(6)).toEqual(['a1']);
  void limit.run('d', task('d1'), never);
  void limit.run('e', task('e1'), never);
  await settle();
  mock.timers.tick(10 * preemptAfterMs);
  await settle();
  expect(began.slice(7)).toEqual(['d1', 'e1']);
  await end('a1');
  expect(await a1).toBe('a1 has ended');
  for (const name of ['d1', 'e1', 'a2']) await end(name);
  expect(await a2).toBe('a2 has ended');
});

test('leaves half of the places to tasks that were not stopped', async () => {
  await occupy();
  mock.timers.tick(preemptAfterMs);
  for (const name of ['c', 'd', 'e', 'f']) void preemptible(name, `${name}1`);
  await settle();
  mock.timers.tick(preemptAfterMs);
  for (const name of ['g', 'h']) void limit.run(name, task(`${name}1`), never);
  await settle();
  expect(new Set(began.slice(8))).toEqual(new Set(['a1', 'b1', 'g1', 'h1']));
  void limit.run('i', task('i1'), never);
  await end('g1');
  expect(began.at(-1)).toBe('i1');
});

test('stops no long task for one whose owner has all the places that it may have', async () => {
  await occupy();
  mock.timers.tick(preemptAfterMs);
  void preemptible('a', 'a3');
  await settle();
  expect(began).toHaveLength(4);
});

test('stops no long task for one whose signal has aborted before', async () => {
  await occupy();
  mock.timers.tick(preemptAfterMs);
  await expect(limit.run('c', task('c1'), AbortSignal.abort('early'))).rejects.toBe('early');
  for (const name of ['a1', 'a2', 'b1', 'b2']) await end(name);
  expect(began).toHaveLength(4);
});

test('rejects with the reason of the signal, whether a task runs or waits to be repeated', async () => {
  const aborted = new AbortController();
  const running = preemptible('a', 'a1', aborted.signal);
  const waiting = preemptible('a', 'a2', aborted.signal);
  void preemptible('b', 'b1');
  void preemptible('b', 'b2');
  mock.timers.tick(preemptAfterMs);
  for (const name of ['c', 'd', 'e']) void limit.run(name, task(name), never);
  await settle();
  aborted.abort('enough');
  await expect(Promise.allSettled([running, waiting])).resolves.toEqual([
    { status: 'rejected', reason: 'enough' },
    { status: 'rejected', reason: 'enough' },
  ]);
});

test('passes on the failure of a task', async () => {
  const failing = () => Promise.reject(new Error('x'));
  await expect(limit.runPreemptible('a', failing, never)).rejects.toThrow('x');
  expect(began).toEqual([]);
});
