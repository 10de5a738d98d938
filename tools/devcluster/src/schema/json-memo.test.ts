import { expect, test } from '@jest/globals';
import { JsonMemo } from './json-memo.js';

test('computes a result once for values with the same text, and again for any other text', () => {
  const memo = new JsonMemo<number>();
  let runs = 0;
  const resultOf = (value: Parameters<typeof memo.of>[0]) => memo.of(value, () => ++runs);
  expect(resultOf({ type: 'object', required: ['a'] })).toBe(1);
  expect(resultOf({ type: 'object', required: ['a'] })).toBe(1);
  expect(resultOf({ type: 'object', required: ['b'] })).toBe(2);
  expect(resultOf({ required: ['a'], type: 'object' })).toBe(3);
});
