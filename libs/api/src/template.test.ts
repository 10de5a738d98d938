import { describe, expect, it } from '@jest/globals';
import { renderTemplate } from './template.js';

const plain = (value: string) => value;

describe('renderTemplate', () => {
  it('replaces names, with or without a leading dot and blanks', () => {
    expect(renderTemplate('{{a.b}} {{ .a.b }} {{ c }}', { 'a.b': '1', c: '2' }, plain)).toBe('1 1 2');
  });

  it('does not render what a value contains', () => {
    expect(renderTemplate('{{ a }}', { a: '{{ b }}', b: 'secret' }, plain)).toBe('{{ b }}');
  });

  it('escapes values only', () => {
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
