import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeMarkdown, escapeTitle, render } from './template.js';

const plain = (value: string) => value;

describe('render', () => {
  it('replaces names, with or without a leading dot and blanks', () => {
    expect(render('{{a.b}} {{ .a.b }} {{ c }}', { 'a.b': '1', c: '2' }, plain)).toBe('1 1 2');
  });

  it('does not render what a value contains', () => {
    expect(render('{{ a }}', { a: '{{ b }}', b: 'secret' }, plain)).toBe('{{ b }}');
  });

  it.each([
    ['{{ nope }}', 'unknown name "nope"'],
    ['{{ toString }}', 'unknown name "toString"'],
    ['{{ a', '"{{" without "}}"'],
    ['{{ a }} {{', '"{{" without "}}"'],
  ])('refuses %s', (template, message) => {
    expect(() => render(template, { a: '' }, plain)).toThrow(message);
  });
});

describe('escapeMarkdown', () => {
  it('leaves no markup, mention or line break', () => {
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
  it('makes one line', () => {
    expect(escapeTitle(' a\r\n\tb\u0000c ')).toBe('a b c');
  });
});
