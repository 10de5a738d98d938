import { Helm, locateHelm } from '@interlock/charts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate } from './evaluate.js';
import { parseTemplate } from './parse.js';
import type { Value } from './print.js';

const path = locateHelm();
if (path === undefined) process.stdout.write('skipped: there is no helm for this platform\n');
const describeWithHelm: typeof describe.skip = path === undefined ? describe.skip : describe;

interface Case {
  template: string;
  data: Value;
}

/** Returns the output of Go's own text/template, through helm, which drops `<no value>`. */
async function renderWithGo(cases: readonly Case[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'go-template-'));
  try {
    await mkdir(join(folder, 'templates'));
    await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: x\nversion: 0.1.0\n');
    await writeFile(
      join(folder, 'templates', 'results.yaml'),
      'results: [{{ range .Values.cases }}{{ tpl .template .data | b64enc | toJson }}, {{ end }}]\n',
    );
    const helm = new Helm({ path: path ?? '', folder, home: folder });
    const out = await helm.output(['template', 'x', '.', '-f', '-'], JSON.stringify({ cases }));
    const list = /results: (.*)/.exec(out)?.[1]?.replace(', ]', ']') ?? '';
    return (JSON.parse(list) as string[]).map((text) => Buffer.from(text, 'base64').toString());
  } finally {
    await rm(folder, { recursive: true });
  }
}

function render({ template, data }: Case): string {
  const parts = evaluate(parseTemplate(template), data, {
    maxSteps: 10_000,
    maxValue: 10_000,
    accepts: () => true,
  });
  return parts.map(({ text }) => text).join('');
}

const data: Value = {
  /* Helm adds it to the data, so it has to exist on both sides. */
  Template: { BasePath: 'x/templates', Name: 'x/templates/results.yaml' },
  a: { b: 'text', empty: '', c: { d: 'ü "q" \\ \n\t\u0001 \u00a0' } },
  yes: true,
  no: false,
  list: ['x', 'y z', ''],
  none: [],
  map: { k: 'v', b: 'w' },
  items: [
    { name: 'one', on: true },
    { name: 'two', on: false },
  ],
};

const handwritten = [
  'text {{ .a.b }} text',
  '{{.a.b}}{{ .yes }}{{ .list }}{{ .map }}{{ .items }}',
  'a  {{- .a.b -}}  b {{- /* comment */ -}} c {{/* c */}}',
  'a {{-3}}{{- 3 -}} {{ -3 }}',
  '\n{{- if .yes }}\nyes\n{{- else }}\nno\n{{- end }}\n',
  '{{ if .no }}1{{ else if .a.empty }}2{{ else if .list }}3{{ else }}4{{ end }}',
  '{{ range .list }}[{{ . }}]{{ else }}none{{ end }}',
  '{{ range .none }}[{{ . }}]{{ else }}none {{ .a.b }}{{ end }}',
  '{{ range .map }}{{ . }};{{ end }}',
  '{{ range .items }}{{ .name }}{{ if .on }}!{{ end }}{{ $.a.b }},{{ end }}',
  '{{ with .a }}{{ .b }}{{ with .c }}{{ .d }}{{ end }}{{ end }}{{ with .none }}x{{ else }}{{ .a.b }}{{ end }}',
  '{{ printf "%s %q %v %d%%" .a.b .a.c.d .list 7 }}',
  '{{ .a.b | printf "%s-%s" "x" | upper }}',
  '{{ eq .a.b "x" "text" }}{{ eq .a.b "x" }}{{ ne .a.b "x" }}{{ eq 1 1 }}{{ not .none }}',
  '{{ and .yes .a.b }}{{ and .no .a.b }}{{ or .a.empty .a.b }}{{ or .no .a.empty }}|',
  '{{ len .list }}{{ len .map }}{{ len .a.c.d }}{{ len "" }}',
  '{{ index .list 1 }}{{ index .map "k" }}{{ index .items 0 "name" }}{{ (index .items 1).name }}',
  '{{ index .map "missing" }}|',
  '{{ join ", " .list }}{{ .list | join "-" }}{{ "AbC" | lower }}{{ trunc 2 .a.b }}{{ trunc -2 .a.b }}{{ trunc 9 .a.b }}',
  '{{ "{{ \\"quoted\\" \\u00fc\\x41\\101\\t" }}{{ `raw {{ \\n` }}',
  '{{ if and (eq .a.b "text") (not .no) }}both{{ end }}',
  '{{ if or .no (and .yes (eq (len .list) 3)) }}three{{ end }}',
  '{{ true }}{{ 12 }}{{ "s" }}{{ (printf "%v" .yes) }}',
  'a }} b { { c',
];

describeWithHelm('evaluate, compared with Go', () => {
  it('renders handwritten templates as Go does', async () => {
    const cases = handwritten.map((template) => ({ template, data }));
    expect(cases.map(render)).toEqual(await renderWithGo(cases));
  });

  it('renders random templates as Go does', async () => {
    const cases = fc.sample(template, 1000).map((text) => ({ template: text, data }));
    const rendered = cases.flatMap((each) => {
      try {
        return [{ each, text: render(each) }];
      } catch {
        return [];
      }
    });
    expect(rendered.length).toBeGreaterThan(200);
    const byGo = await renderWithGo(rendered.map(({ each }) => each));
    for (const [index, { each, text }] of rendered.entries())
      expect({ template: each.template, text }).toEqual({ template: each.template, text: byGo[index] });
  });
});

const value = fc.letrec<{ value: string; atom: string }>((tie) => ({
  atom: fc.constantFrom(
    '.a.b',
    '.a.empty',
    '$.a.c.d',
    '.list',
    '.none',
    '.map',
    '.yes',
    '.no',
    '"s"',
    '`r"`',
    '3',
    'true',
    '.',
    '$',
  ),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('atom'),
    fc
      .tuple(fc.constantFrom('not', 'len', 'upper', 'printf "%v"', 'and', 'or'), tie('value'))
      .map(([f, v]) => `(${f} ${v})`),
    fc
      .tuple(fc.constantFrom('and', 'or', 'eq', 'ne', 'printf "%s:%v"'), tie('atom'), tie('value'))
      .map(([f, a, b]) => `(${f} ${a} ${b})`),
    fc
      .tuple(tie('value'), fc.constantFrom('upper', 'len', 'not', 'printf "%q"', 'printf "<%v>"'))
      .map(([v, f]) => `(${v} | ${f})`),
  ),
})).value;
const open = fc.constantFrom('{{', '{{ ', '{{- ', '{{-\n');
const close = fc.constantFrom('}}', ' }}', ' -}}');
const text = fc.constantFrom('', ' ', '\n', ' text\n', '  \n  ', '-', '}}', '{');
const template = fc.letrec<{ list: string; node: string }>((tie) => ({
  list: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.tuple(open, value, close).map((parts) => parts.join('')),
    fc
      .tuple(open, fc.constantFrom('/* c */'), close)
      .map(
        ([before, comment, after]) =>
          before.trimEnd() + (before.includes('-') ? ' ' : '') + comment + after.replace(/^ (?=\})/, ''),
      ),
    fc
      .tuple(fc.constantFrom('if', 'with', 'range'), value, tie('list'), tie('list'), open, close)
      .map(
        ([word, on, body, other, from, to]) =>
          `${from}${word} ${on}${to}${body}${from}else${to}${other}${from}end${to}`,
      ),
    fc
      .tuple(value, tie('list'), value, tie('list'), open)
      .map(([one, body, two, other, from]) => `${from}if ${one}}}${body}{{else if ${two} -}}${other}{{end}}`),
  ),
})).list;
