import { expect, it } from '@jest/globals';
import { backoffMs } from './backoff.js';

const backoff = { baseMs: 500, maxMs: 300_000 };

it.each([
  [1, 0.999, 499],
  [2, 0.999, 999],
  [3, 0.5, 1_000],
  [10, 0.5, 128_000],
  [11, 0.5, 150_000],
  [5_000, 0.5, 150_000],
  [1, 0, 0],
])('waits before attempt %d, with the random number %d, for %d ms', (attempt, random, expected) => {
  expect(backoffMs(attempt, backoff, () => random)).toBe(expected);
});
