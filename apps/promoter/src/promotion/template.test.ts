import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeMarkdown, escapeTitle } from './template.js';

describe('escapeMarkdown', () => {
  it('removes markup, mentions and line breaks', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const escaped = escapeMarkdown(text).replace(/&#\d+;/g, '');
        expect(escaped).not.toMatch(/[\\`*_{}[\]()+!|~<>\n]/);
        expect(escaped).not.toMatch(/@(?!\u200b)/);
      }),
    );
  });
});

describe('escapeTitle', () => {
  it('returns one line', () => {
    expect(escapeTitle(' a\r\n\tb\u0000c ')).toBe('a b c');
  });
});
