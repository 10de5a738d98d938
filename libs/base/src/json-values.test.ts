import { expect, test } from '@jest/globals';
import { hasMoreJsonValues } from './json-values.js';

test.each([
  ['nested arrays', '[[[[[[[[]]]]]]]]'],
  ['nested objects', '{"a":{"a":{"a":{"a":{"a":{"a":{"a":0}}}}}}}'],
  ['objects', '[{},{},{},{}]'],
  ['numbers', '[0,0,0,0,0,0,0]'],
  ['values after a string that ends with a backslash', String.raw`["\\",0,0,0,0,0,0]`],
])('finds a JSON text with more than seven values: %s', (_what, text) => {
  expect(hasMoreJsonValues(Buffer.from(text), 7)).toBe(true);
});

test.each([
  ['numbers', '[0,0,0,0,0,0]'],
  ['any text in strings', JSON.stringify({ message: '"[{,\\"[{,[{,[{,[{,', ref: '\\' })],
])('accepts a JSON text with at most seven values: %s', (_what, text) => {
  expect(hasMoreJsonValues(Buffer.from(text), 7)).toBe(false);
});
