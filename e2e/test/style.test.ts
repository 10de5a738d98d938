import { describe, expect, it } from '@jest/globals';
import { citationProblems } from './support/rules/citations.js';
import { commentsWithoutSummary } from './support/rules/doc-comments.js';
import { readModule } from './support/rules/modules.js';
import { unusedExports } from './support/rules/unused-exports.js';
import { wordProblems } from './support/rules/words.js';
import { publishedTypes, typesInDeclarations, wordExceptions } from './support/style-exceptions.js';
import { packageEntries, trackedTexts } from './support/source-files.js';

describe('words', () => {
  it('are those of technical English', () => {
    const texts = [...trackedTexts('*.ts', '*.mjs', '*.md', 'charts')].filter(
      ([file]) => !wordExceptions.some(({ files }) => files.includes(file)),
    );
    const problems = texts.flatMap(([file, text]) =>
      wordProblems(text).map(({ line, found, instead }) => `${file}:${line}: ${found}; write ${instead}`),
    );
    expect(problems).toEqual([]);
    expect(texts.length).toBeGreaterThan(1000);
  });

  const cases: [text: string, found: string[]][] = [
    ['The log tells it.', ['1 tells']],
    ['Whoever merges mends it.', ['1 mends', '1 whoever']],
    ['recommended, amended, lookup, foretold', []],
    ['class StatusTeller {\n  toldOf = 1;\n}', ['1 teller', '2 told']],
    ['A value that is no name.', ['1 is no']],
    ['/*\n * A value that is\n * no name.\n */', ['2 is\nno']],
    ['There is no name. It is no longer used.', []],
    ['createWorld(worlds)', ['1 world', '1 worlds']],
    ["'Hello, world'", []],
    ['It looks at a text that looks like JSON and is looked up.', ['1 looks']],
  ];
  it.each(cases)('to avoid are found in %j', (text, found) => {
    expect(wordProblems(text).map((one) => `${one.line} ${one.found}`)).toEqual(found);
  });
});

describe('doc comments', () => {
  it('with `@returns` have a summary', () => {
    const texts = [...trackedTexts('*.ts', ':!e2e/test/style.test.ts')];
    const problems = texts.flatMap(([file, text]) =>
      commentsWithoutSummary(text).map((line) => `${file}:${line}`),
    );
    expect(problems).toEqual([]);
  });

  const cases: [text: string, lines: number[]][] = [
    ['/** @returns the key of an object. */', [1]],
    ['\n/**\n * @param name of an object\n * @returns its key\n */', [2]],
    ['/** Returns the key of an object. @throws Error without a name. */', []],
    ['/**\n * Reads an object.\n *\n * @returns its key\n */', []],
    ['/** @throws Error without a name. */', []],
    ['/* @returns */', []],
  ];
  it.each(cases)('without a summary are found in %j', (text, lines) => {
    expect(commentsWithoutSummary(text)).toEqual(lines);
  });
});

describe('citations', () => {
  it('of documents outside the repository do not exist', () => {
    const texts = trackedTexts('*.ts', '*.mjs', '*.md', 'charts', ':!e2e/test/style.test.ts');
    const problems = [...texts].flatMap(([file, text]) =>
      citationProblems(text).map(({ line, found }) => `${file}:${line}: ${found}`),
    );
    expect(problems).toEqual([]);
  });

  const cases: [text: string, found: string[]][] = [
    ['/** How long a lock lasts (research broker §3.2). */', ['1 research broker §3.2', '1 §3.2']],
    ['\n15-30 s (seed 3.3)', ['2 seed 3.3']],
    ['The labels of a namespace (seed, securityProfile).', ['1 (seed']],
    ['See shared/spec/style.md.', ['1 shared/spec']],
    ['ES256 (RFC 7518 §3.4); seed 3 of the dialect (`seed`)', []],
  ];
  it.each(cases)('of documents outside the repository are found in %j', (text, found) => {
    expect(citationProblems(text).map((one) => `${one.line} ${one.found}`)).toEqual(found);
  });
});

describe('exports', () => {
  it('of a file are imported by another file, and exports of a package by another project', () => {
    const texts = trackedTexts('*.ts', '*.mjs');
    const published = readModule(texts.get(publishedTypes.file) ?? '').declared;
    expect(published).toContain('ScmConnection');
    const unused = unusedExports(texts, packageEntries())
      .filter(({ file }) => file.endsWith('.ts'))
      .filter(({ file, name }) => !publishedTypes.exportedBy.includes(file) || !published.includes(name))
      .filter(({ name }) => !typesInDeclarations.names.includes(name));
    expect(unused.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  const entries = new Map([['@interlock/one', 'libs/one/src/index.ts']]);
  const unusedOf = (files: Record<string, string>): string[] =>
    unusedExports(new Map(Object.entries(files)), entries).map(({ file, name }) => `${file} ${name}`);
  const index = "export { cut, type Cut } from './cut.js';\nexport * from './more.js';\n";
  const library = {
    'libs/one/src/index.ts': index,
    'libs/one/src/cut.ts': 'export function cut(): Cut {}\nexport interface Cut {}\n',
    'libs/one/src/more.ts': 'export const more = 1;\nconst own = 1;\n',
  };

  it('that no other project imports are found at the entry of a library', () => {
    const user =
      "import { cut, type Cut as Piece } from '@interlock/one';\nimport { more } from '@interlock/one';\n";
    expect(unusedOf({ ...library, 'apps/two/src/main.ts': user })).toEqual([]);
    expect(unusedOf({ ...library, 'apps/two/src/main.ts': user.replace('cut, ', '') })).toEqual([
      'libs/one/src/index.ts cut',
      'libs/one/src/cut.ts cut',
    ]);
    expect(unusedOf({ ...library, 'libs/one/src/main.ts': user })).toEqual(
      ['cut', 'Cut', 'more'].map((name) => `libs/one/src/index.ts ${name}`),
    );
  });

  it.each<[text: string, unused: string[]]>([
    ["import { one } from './a.js';", ['two']],
    ["import * as all from './a.js';", []],
    ["const all = await import('./a.js');", []],
    ["import type { two } from './a.js';", ['one']],
    ["/**\n * @import { one, two } from './a.js'\n */", []],
    ['', ['one', 'two']],
  ])('that no file imports are found with %j', (text, unused) => {
    const files = {
      'apps/b/src/a.ts': 'export const one = 1;\nexport type two = 2;\n',
      'apps/b/src/b.ts': text,
    };
    expect(unusedOf(files)).toEqual(unused.map((name) => `apps/b/src/a.ts ${name}`));
  });
});
