import { expect, test } from '@jest/globals';
import { styleOf } from './style.js';

/* Quadratic work would not finish. */
const long = 500_000;

test.each([
  ['a:\n    b: 1\n', { eol: '\n', step: 4, indentSeq: false, isJson: false }],
  ['a:\r\n  - b\r\n', { eol: '\r\n', step: 2, indentSeq: true, isJson: false }],
  ['a:\n- b\n', { eol: '\n', step: 2, indentSeq: false, isJson: false }],
  ['{"a": [1]}\n', { eol: '\n', step: 2, indentSeq: false, isJson: true }],
  ['{a: 1}\n', { eol: '\n', step: 2, indentSeq: false, isJson: false }],
  ['', { eol: '\n', step: 2, indentSeq: false, isJson: false }],
])('reads the style of %j', (text, expected) => {
  expect(styleOf(text)).toEqual(expected);
});

test.each([' ', '\n', 'a:', 'a: ', ' \n', '- ', '\u2028', '\u2028 ', 'a\u2028', '\r'])(
  'reads the style of many repetitions of %j in one pass',
  (unit) => {
    expect(styleOf(`x${unit.repeat(long)}`).step).toBe(2);
  },
);
