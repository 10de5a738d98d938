import { describe, expect, it } from '@jest/globals';
import { renderTemplate } from './template.js';

const plain = (value: string) => value;

describe('renderTemplate', () => {
  it('replaces names, with or without a leading dot or blanks', () => {
    expect(renderTemplate('{{a.b}} {{ .a.b }} {{ c }}', { 'a.b': '1', c: '2' }, plain)).toBe('1 1 2');
  });

  it('does not render placeholders in a value', () => {
    expect(renderTemplate('{{ a }}', { a: '{{ b }}', b: 'secret' }, plain)).toBe('{{ b }}');
  });

  it('escapes only values', () => {
    expect(renderTemplate('/?q={{ a }}', { a: '/?' }, encodeURIComponent)).toBe('/?q=%2F%3F');
  });

  it.each([
    ['{{ nope }}', 'unknown name "nope"'],
    ['{{ toString }}', 'unknown name "toString"'],
    ['{{ a', '"{{" has no matching "}}"'],
    ['{{ a }} {{', '"{{" has no matching "}}"'],
  ])('refuses %s', (template, message) => {
    expect(() => renderTemplate(template, { a: '' }, plain)).toThrow(message);
  });
});
