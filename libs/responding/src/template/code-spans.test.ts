import { expect, test } from '@jest/globals';
import { inCodeSpans } from './code-spans.js';

/* Quadratic work would not finish. */
const long = 500_000;

test.each([' ', ' \n', '\n ', 'a', 'a\n', '`', '` ', '\u2028'])(
  'finds the code span after many repetitions of %j in one pass',
  (unit) => {
    const before = { text: unit.repeat(long), isValue: false };
    const span = [
      { text: '\n\n`', isValue: false },
      { text: 'value', isValue: true },
      { text: '`', isValue: false },
    ];
    expect(inCodeSpans([before, ...span])).toEqual([false, false, true, false]);
  },
);
