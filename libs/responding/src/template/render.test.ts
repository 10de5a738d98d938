import { describe, expect, it } from '@jest/globals';
import { maxBody, renderMarkdown, renderTitle } from './render.js';

describe('renderMarkdown', () => {
  it.each([
    ['{{ .A', 'line 1, column 1: "{{" without "}}"'],
    ['x\n  {{ .Missing }}', 'line 2, column 6: there is no "Missing"; there are "a", "t"'],
    ['{{ .a.b.c }}', 'line 1, column 4: there is no "b" in a text'],
    ['{{ if .a }}', 'line 1, column 1: {{end}} of this if is missing'],
    ['{{ end }}', 'line 1, column 1: {{end}} without if'],
    ['{{ if .a }}{{ else }}{{ else }}{{ end }}', 'line 1, column 22: the block already has an "else"'],
    ['{{ range .a }}{{ end }}', 'range does not support a text'],
    ['{{ with .a }}{{ else if .a }}{{ end }}', 'only "if" may follow "else"'],
    ['{{ $x := .a }}', 'variables are not supported'],
    ['{{ template "x" }}', 'there is no function "template"; there are and, or, eq'],
    ['{{ .a "x" }}', 'line 1, column 7: a function has to come first'],
    ['{{ "x" | .a }}', 'a function has to come first'],
    ['{{ printf "%d" .a }}', 'line 1, column 4: printf: %d does not support a text'],
    ['{{ printf "%s" }}', '%s has no argument'],
    ['{{ printf "%5s" .a }}', '%5 is not supported'],
    ['{{ index .t 1 }}', 'the list has 1 items'],
    ['{{ (.a }}', '"(" without ")"'],
    ['{{ .a) }}', 'there is a ")" without "("'],
    ['{{ "a', 'a quotation mark is missing'],
    ['{{ "\\q" }}', 'is not an escape that is supported'],
    ['{{ }}', 'a value is missing'],
    ['{{ /* c }}', 'the comment does not end'],
    ['{{ .a.constructor }}', 'there is no "constructor"'],
    ['{{ .__proto__ }}', 'there is no "__proto__"'],
    ['{{ .a"x" }}', 'a space is missing'],
    [`${'{{ if .a }}'.repeat(30)}`, 'blocks are nested more than 20 levels deep'],
    [`{{ ${'('.repeat(30)}.a }}`, 'parentheses are nested more than 20 levels deep'],
    ['x'.repeat(70_000), 'longer than 65536'],
  ])('refuses %j', (template, message) => {
    expect(() => renderMarkdown(template, { a: 'x', t: ['y'] })).toThrow(message);
    expect(() => renderMarkdown(template, { a: 'x', t: ['y'] })).toThrow(
      expect.objectContaining({ type: 'Invalid', reason: 'TemplateInvalid' }),
    );
  });

  it('limits its steps, each value and the whole output', () => {
    const many = Array.from({ length: 200 }, () => 'x');
    const nested = '{{ range .l }}{{ range $.l }}{{ if . }}{{ end }}{{ end }}{{ end }}';
    expect(() => renderMarkdown(nested, { l: many })).toThrow('takes more than 20000 steps');
    expect(renderMarkdown('{{ .v }}', { v: 'y'.repeat(1_000_000) })).toBe(`${'y'.repeat(1024)}…`);
    const long = renderMarkdown('{{ range .l }}{{ . }}\n{{ end }}end', {
      l: many.map(() => '<'.repeat(1000)),
    });
    expect(long.length).toBeLessThanOrEqual(maxBody);
    expect(long).toMatch(/… \(cut\)\n$/);
  });

  it('renders values in code unchanged, and elsewhere as text', () => {
    const data = { v: 'a_b<c>`@x' };
    expect(renderMarkdown('On `{{ .v }}`, and\n``x {{ .v }}``.', data)).toBe(
      "On `a_b<c>'@x`, and\n``x a_b<c>'@x``.",
    );
    expect(renderMarkdown('On {{ .v }}', { v: '@x' })).toBe('On &#64;&#8203;x');
    expect(renderMarkdown('{{ "`@x`" }}', data)).toBe('`@x`');
    expect(renderMarkdown('[a](https://b/{{ .v }})', { v: 'c d)`' })).toBe('[a](https://b/c%20d%29%60)');
  });

  it.each([
    ['an open span', '`{{ .v }}'],
    ['a span of several lines', '`a\n`{{ .v }}` b'],
    ['a table', '| a |\n|---|\n`{{ .v }}`'],
    ['HTML', '<td>`{{ .v }}`</td>'],
    ['a comment', '<!-- a\n\n`{{ .v }}` -->'],
    ['an escaped backtick', '\\`{{ .v }}`'],
    ['a link', '[`{{ .v }}`](x)'],
  ])('does not treat %s as code', (_, template) => {
    expect(renderMarkdown(template, { v: '@x' })).toContain('&#64;&#8203;x');
  });
});

describe('renderTitle', () => {
  it('returns one line of at most 248 characters, without mentions', () => {
    const data = { v: 'a\n\u202Eb @x #1 GH-2' };
    expect(renderTitle('Revoke\n {{ .v }} ', data)).toBe('Revoke a \uFFFDb @\u200Bx #\u200B1 GH-\u200B2');
    expect([...renderTitle('{{ .v }}{{ .v }}', { v: '😀'.repeat(300) })]).toHaveLength(248);
  });
});
