import { expect, it } from '@jest/globals';
import { decideRefresh } from './decide.js';

it.each([
  [0, 54_000],
  [0.25, 57_000],
  [0.5, 60_000],
  [0.999, 65_988],
])('given the random number %d, reads a remote again after %d ms', (chance, pollAfterMs) => {
  expect(decideRefresh({ chance }, 60_000)).toEqual({ pollAfterMs });
});
