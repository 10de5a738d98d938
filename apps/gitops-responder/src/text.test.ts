import { describe, expect, it } from '@jest/globals';
import { toldOf } from './text.js';

describe('text for people', () => {
  it.each([
    ['abc', 'abc'],
    ['abcd', 'ab…'],
    ['a\u{1F600}b', 'a…'],
  ])('cuts %j to 3 characters', (text, expected) => {
    expect(toldOf(new Error(text), 3)).toBe(expected);
  });

  it('keeps a surrogate pair that fits', () => {
    expect(toldOf(new Error('a\u{1F600}bc'), 4)).toBe('a\u{1F600}…');
  });

  it('has no secrets, also where they would be cut', () => {
    const token = `ghp_${'a'.repeat(36)}`;
    expect(toldOf(new Error(`GET https://x:${token}@github.com failed`), 100)).not.toContain('ghp_');
    expect(toldOf(new Error(`${'x'.repeat(90)} ${token}`), 100)).not.toContain('ghp_');
  });
});
