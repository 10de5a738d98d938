import { describe, expect, it } from '@jest/globals';
import { withoutEnd, withoutEnds } from './text.js';

/* An algorithm that rereads each part of a run would practically never finish on this text. */
const long = 2_000_000;

describe('withoutEnd', () => {
  it.each([
    ['a/b//', 'a/b'],
    ['//a', '//a'],
    ['///', ''],
    ['', ''],
  ])('removes slashes from the end of %j', (text, expected) => {
    expect(withoutEnd(text, '/')).toBe(expected);
  });

  it.each([
    ['a-._', '-._', 'a'],
    ['a', '', 'a'],
  ])('removes from the end of %j the characters %j', (text, characters, expected) => {
    expect(withoutEnd(text, characters)).toBe(expected);
  });

  it('reads a long run in the middle only once', () => {
    const text = `a${'\n'.repeat(long)}b`;
    expect(withoutEnd(text, '\n')).toBe(text);
  });
});

describe('withoutEnds', () => {
  it.each([
    ['//a/b//', '/', 'a/b'],
    ['///', '/', ''],
    ['-.a.-', '-.', 'a'],
  ])('removes from both ends of %j the characters %j', (text, characters, expected) => {
    expect(withoutEnds(text, characters)).toBe(expected);
  });
});
