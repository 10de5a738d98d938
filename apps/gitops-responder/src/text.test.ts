import { describe, expect, it } from '@jest/globals';
import { toldOf } from './text.js';

describe('text for people', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['a\u{1F600}b', 3, 'a…'],
    ['a\u{1F600}bc', 4, 'a\u{1F600}…'],
  ])('cuts %j to %d', (text, max, expected) => {
    expect(toldOf(new Error(text), max)).toBe(expected);
  });

  it('has no secrets, also where they would be cut', () => {
    const token = `ghp_${'a'.repeat(36)}`;
    expect(toldOf(new Error(`GET https://x:${token}@github.com failed`), 100)).not.toContain('ghp_');
    expect(toldOf(new Error(`${'x'.repeat(90)} ${token}`), 100)).not.toContain('ghp_');
  });
});
