import { describe, expect, it } from '@jest/globals';
import { describeError } from './text.js';

describe('the description of an error', () => {
  it('is truncated to a length, but never within a surrogate pair', () => {
    const cut = (text: string, max: number) => describeError(new Error(text), max);
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('ab…');
    expect(cut('a\u{1F600}b', 3)).toBe('a…');
    expect(cut('a\u{1F600}bc', 4)).toBe('a\u{1F600}…');
  });

  it('contains no secrets, even if it is truncated', () => {
    const token = `ghp_${'a'.repeat(36)}`;
    expect(describeError(new Error(`GET https://x:${token}@github.com failed`), 100)).not.toContain('ghp_');
    expect(describeError(new Error(`${'x'.repeat(90)} ${token}`), 100)).not.toContain('ghp_');
  });
});
