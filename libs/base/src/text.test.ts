import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { prefixOf, truncate, truncateBytes, truncateDistinct } from './text.js';

/** Two UTF-16 code units, four bytes. */
const smile = '\u{1F600}';
/** One UTF-16 code unit, two bytes. */
const umlaut = '\u00e4';

it.each<[(text: string, max: number) => string, string, number, string]>([
  [prefixOf, 'abcd', 4, 'abcd'],
  [prefixOf, 'abcd', 3, 'abc'],
  [prefixOf, 'abcd', 0, ''],
  [prefixOf, 'abcd', -1, ''],
  [prefixOf, `a${smile}b`, 4, `a${smile}b`],
  [prefixOf, `a${smile}b`, 3, `a${smile}`],
  [prefixOf, `a${smile}b`, 2, 'a'],
  [prefixOf, `${smile}${smile}`, 3, smile],
  [prefixOf, smile, 1, ''],
  [prefixOf, 'a b', 2, 'a '],
  [truncate, 'abcd', 4, 'abcd'],
  [truncate, 'abcd', 3, 'ab…'],
  [truncate, 'abcd', 1, '…'],
  [truncate, 'abcd', 0, ''],
  [truncate, '', 0, ''],
  [truncate, `a${smile}b`, 4, `a${smile}b`],
  [truncate, `a${smile}bc`, 4, `a${smile}…`],
  [truncate, `a${smile}b`, 3, 'a…'],
  [truncate, `${smile}${smile}`, 2, '…'],
  [truncate, `${umlaut}${umlaut}${umlaut}`, 2, `${umlaut}…`],
  [truncate, 'a bcd', 3, 'a…'],
  [truncateBytes, 'abcd', 4, 'abcd'],
  [truncateBytes, 'abcde', 4, 'a…'],
  [truncateBytes, 'abcd', 3, '…'],
  [truncateBytes, 'abcd', 2, ''],
  [truncateBytes, `a${smile}`, 5, `a${smile}`],
  [truncateBytes, `a${smile}bcd`, 8, `a${smile}bcd`],
  [truncateBytes, `a${smile}bcde`, 8, `a${smile}…`],
  [truncateBytes, `a${smile}bcd`, 7, 'a…'],
  [truncateBytes, `${smile}${smile}`, 6, '…'],
  [truncateBytes, `${umlaut}${umlaut}${umlaut}`, 5, `${umlaut}…`],
  [truncateBytes, `${umlaut}${umlaut}${umlaut}`, 4, '…'],
  [truncateBytes, '\uFFFD\uFFFD\uFFFD', 6, '\uFFFD…'],
  [truncateBytes, 'a bcdef', 5, 'a…'],
])('%p cuts %j at the limit %d to %j', (cut, text, max, expected) => {
  expect(cut(text, max)).toBe(expected);
});

it('never exceeds a limit, and never splits a surrogate pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 30 }), (text, max) => {
      expect(truncate(text, max).length).toBeLessThanOrEqual(max);
      expect(prefixOf(text, max).length).toBeLessThanOrEqual(max);
      expect(Buffer.byteLength(truncateBytes(text, max))).toBeLessThanOrEqual(max);
      for (const result of [prefixOf(text, max), truncate(text, max), truncateBytes(text, max)]) {
        expect(Buffer.from(result).toString()).toBe(result);
      }
      expect(text.startsWith(prefixOf(text, max))).toBe(true);
    }),
  );
});

describe('truncateDistinct', () => {
  const long = 'environments/production-of-the-shop';

  it('keeps a name that is short enough', () => {
    expect(truncateDistinct(long, long.length)).toBe(long);
  });

  it('keeps two long names with a common beginning distinct', () => {
    const names = [`${long}-a`, `${long}-b`].map((name) => truncateDistinct(name, long.length));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^environments\/production-of-[0-9a-f]{8}$/);
  });

  it('never splits a surrogate pair', () => {
    expect(truncateDistinct(`aa${smile}${long}`, 12)).toMatch(/^aa-[0-9a-f]{8}$/);
  });
});
