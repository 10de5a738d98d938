import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { prefixOf, truncate, truncateBytes } from './text.js';

/** Two code units, four bytes. */
const smile = '\u{1F600}';
/** One code unit, two bytes. */
const umlaut = '\u00e4';

describe('prefixOf', () => {
  it.each([
    ['abcd', 4, 'abcd'],
    ['abcd', 3, 'abc'],
    ['abcd', 0, ''],
    ['abcd', -1, ''],
    [`a${smile}b`, 4, `a${smile}b`],
    [`a${smile}b`, 3, `a${smile}`],
    [`a${smile}b`, 2, 'a'],
    [`${smile}${smile}`, 3, smile],
    [smile, 1, ''],
    ['a b', 2, 'a '],
  ])('cuts %j to %d characters', (text, maxLength, expected) => {
    expect(prefixOf(text, maxLength)).toBe(expected);
  });
});

describe('truncate', () => {
  it.each([
    ['abcd', 4, 'abcd'],
    ['abcd', 3, 'ab…'],
    ['abcd', 1, '…'],
    ['abcd', 0, ''],
    ['', 0, ''],
    [`a${smile}b`, 4, `a${smile}b`],
    [`a${smile}bc`, 4, `a${smile}…`],
    [`a${smile}b`, 3, 'a…'],
    [`${smile}${smile}`, 2, '…'],
    [`${umlaut}${umlaut}${umlaut}`, 2, `${umlaut}…`],
    ['a bcd', 3, 'a…'],
  ])('cuts %j to %d characters', (text, maxLength, expected) => {
    expect(truncate(text, maxLength)).toBe(expected);
  });
});

describe('truncateBytes', () => {
  it.each([
    ['abcd', 4, 'abcd'],
    ['abcde', 4, 'a…'],
    ['abcd', 3, '…'],
    ['abcd', 2, ''],
    [`a${smile}`, 5, `a${smile}`],
    [`a${smile}bcd`, 8, `a${smile}bcd`],
    [`a${smile}bcde`, 8, `a${smile}…`],
    [`a${smile}bcd`, 7, 'a…'],
    [`${smile}${smile}`, 6, '…'],
    [`${umlaut}${umlaut}${umlaut}`, 5, `${umlaut}…`],
    [`${umlaut}${umlaut}${umlaut}`, 4, '…'],
    ['\uFFFD\uFFFD\uFFFD', 6, '\uFFFD…'],
    ['a bcdef', 5, 'a…'],
  ])('cuts %j to %d bytes', (text, maxBytes, expected) => {
    expect(truncateBytes(text, maxBytes)).toBe(expected);
  });
});

it('never exceeds a limit, and leaves no half of a pair behind', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 30 }), (text, max) => {
      expect(truncate(text, max).length).toBeLessThanOrEqual(max);
      expect(prefixOf(text, max).length).toBeLessThanOrEqual(max);
      expect(Buffer.byteLength(truncateBytes(text, max))).toBeLessThanOrEqual(max);
      for (const cut of [prefixOf(text, max), truncate(text, max), truncateBytes(text, max)]) {
        expect(Buffer.from(cut).toString()).toBe(cut);
      }
      expect(text.startsWith(prefixOf(text, max))).toBe(true);
    }),
  );
});
