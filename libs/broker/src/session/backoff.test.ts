import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EmptyGuard, failureBackoffMs, repeatBackoffMs } from './backoff.js';

const share = fc.double({ min: 0, max: 0.999, noNaN: true });

describe('failureBackoffMs', () => {
  test.each([
    [1, 15, 30],
    [5, 15, 30],
    [6, 30, 60],
    [500, 30, 60],
  ])('after %i consecutive failures, waits for a random time from %i to %i seconds', (failures, from, to) => {
    expect(failureBackoffMs(failures, () => 0)).toBe(from * 1000);
    fc.assert(
      fc.property(share, (random) => {
        const waitMs = failureBackoffMs(failures, () => random);
        expect(waitMs).toBeGreaterThanOrEqual(from * 1000);
        expect(waitMs).toBeLessThan(to * 1000);
      }),
    );
  });

  test('differs between sessions that fail together', () => {
    const waits = Array.from({ length: 20 }, () => failureBackoffMs(1, Math.random));
    expect(new Set(waits).size).toBeGreaterThan(15);
  });
});

test('repeatBackoffMs waits 5 to 10 seconds', () => {
  expect([0, 0.5].map((random) => repeatBackoffMs(() => random))).toEqual([5_000, 7_500]);
});

describe('EmptyGuard', () => {
  const half = (): number => 0.5;

  test('does not slow down polls that are held', () => {
    const guard = new EmptyGuard();
    for (let n = 0; n < 36; n++) expect(guard.empty(50_000, n * 50_000, half)).toBe(0);
  });

  test('slows down polls that return immediately to at most one in five seconds', () => {
    const guard = new EmptyGuard();
    const waits = Array.from({ length: 12 }, (_, n) => guard.empty(1, n, () => 0.999));
    expect(waits[0]).toBeGreaterThanOrEqual(100);
    expect(waits[0]).toBeLessThan(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_000);
    expect(waits.at(-1)).toBeGreaterThan(4_000);
  });

  test('waits 15 to 30 seconds after more than 50 empty polls in half an hour', () => {
    const guard = new EmptyGuard();
    for (let n = 0; n < 50; n++) expect(guard.empty(6_000, n * 6_000, half)).toBe(0);
    expect(guard.empty(6_000, 51 * 6_000, half)).toBe(22_500);
    expect(guard.empty(6_000, 31 * 60_000, half)).toBe(0);
  });

  test('starts over after a message', () => {
    const guard = new EmptyGuard();
    for (let n = 0; n < 60; n++) guard.empty(1, n, half);
    guard.reset();
    expect(guard.empty(1, 100, () => 0)).toBe(100);
  });
});
