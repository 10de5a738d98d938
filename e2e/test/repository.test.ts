import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { kindProblems } from './support/kind-folders.js';
import { kindExceptions, sharedNameExceptions } from './support/shape-exceptions.js';
import { sharedNames } from './support/shared-names.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A file that is linted with this text. */
interface Case {
  file: string;
  text: string;
}

const program = `
  import { readFileSync } from 'node:fs';
  import { createProjectGraphAsync, readCachedProjectGraph } from 'nx/src/project-graph/project-graph.js';
  import { ESLint } from 'eslint';
  /* A fresh clone has no project graph yet, which the rules on imports between projects read. */
  try {
    readCachedProjectGraph();
  } catch {
    await createProjectGraphAsync();
  }
  const eslint = new ESLint();
  const rules = [];
  for (const { file, text } of JSON.parse(readFileSync(0, 'utf8'))) {
    const [{ messages }] = await eslint.lintText(text, { filePath: file });
    rules.push(messages.map(({ ruleId, message }) => ruleId ?? message));
  }
  console.log(JSON.stringify(rules));
`;

/** Returns the rules that each file violates. One process lints all files, so that the workspace is read once. */
function lint(cases: readonly Case[]): string[][] {
  const env = { ...process.env, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', NODE_OPTIONS: '' };
  const input = JSON.stringify(cases);
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    ...{ cwd: root, input, encoding: 'utf8', env },
  });
  if (!stdout.startsWith('[')) throw new Error(`eslint did not answer: ${stderr}`);
  return JSON.parse(stdout) as string[][];
}

const linted: Case[] = [];
let rulesOfLinted: string[][] = [];
beforeAll(() => {
  rulesOfLinted = lint(linted);
}, 120_000);

/** Lints a file before the tests. Returns a function that returns the violated rules. */
function linting(one: Case): () => string[] {
  const index = linted.push(one) - 1;
  return () => rulesOfLinted[index] ?? [];
}

function sources(): string[] {
  const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' });
  return files.split('\n').filter((file) => file !== '' && !file.endsWith('.d.ts'));
}

function texts(files: readonly string[]): Map<string, string> {
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

const isTest = (file: string): boolean => /\.test\.ts$|\/test\/|\/testing\//.test(file);

const boundaryRule = '@nx/enforce-module-boundaries';
const clientRule = 'no-restricted-imports';
const pureRule = '@typescript-eslint/no-restricted-imports';

describe('lint', () => {
  const cases: [title: string, file: string, target: string, rule: string, breaks: boolean][] = [
    ['an app may not use a tool', 'apps/promoter/src/app.ts', '@interlock/devcluster', boundaryRule, true],
    [
      'an app may not use another app',
      'apps/promoter/src/app.ts',
      '../../commit-status-sync/src/commit-status/decide.js',
      boundaryRule,
      true,
    ],
    ['a library may not use a tool', 'libs/scm/src/registry.ts', '@interlock/forge', boundaryRule, true],
    ['libs/base may not use another library', 'libs/base/src/text.ts', '@interlock/api', boundaryRule, true],
    ['libs/api may not use libs/kube', 'libs/api/src/object.ts', '@interlock/kube', boundaryRule, true],
    ['libs/api may use libs/base', 'libs/api/src/object.ts', '@interlock/base', boundaryRule, false],
    [
      'libs/kube may not use libs/git',
      'libs/kube/src/client/client.ts',
      '@interlock/git',
      boundaryRule,
      true,
    ],
    ['an app may use a library', 'apps/promoter/src/app.ts', '@interlock/kube', boundaryRule, false],
    ['a test may use a tool', 'libs/kube/test/status.test.ts', '@interlock/devcluster', boundaryRule, false],
    [
      'an app may not use the Kubernetes client package',
      'apps/promoter/src/app.ts',
      '@kubernetes/client-node',
      clientRule,
      true,
    ],
    [
      'libs/kube may use the Kubernetes client package',
      'libs/kube/src/client/credentials.ts',
      '@kubernetes/client-node',
      clientRule,
      false,
    ],
  ];

  for (const [title, file, target, rule, breaks] of cases) {
    const rules = linting({ file, text: `export * from '${target}';\n` });
    it(title, () => {
      expect(rules().includes(rule)).toBe(breaks);
    });
  }
});

describe('lint of style', () => {
  const syntaxRule = 'no-restricted-syntax';
  const cases: [title: string, text: string, breaks: boolean][] = [
    ['refuses the keyword `private` at a field', 'export class A { private a = 1; }', true],
    ['refuses the keyword `private` at a method', 'export class A { private run(): void {} }', true],
    [
      'refuses the keyword `private` at a parameter',
      'export class A { constructor(private readonly a: string) {} }',
      true,
    ],
    ['allows a private constructor', 'export class A { private constructor() {} }', false],
    ['allows a private name', 'export class A { #a = 1; }', false],
    ['refuses a constant in capitals', 'export const MAX_BYTES = 1;', true],
    ['allows a constant in camelCase', 'export const maxBytes = 1;', false],
    ['refuses a test title of one word', `it('doctor', () => {});`, true],
    ['refuses a test title of one word in a table', `test.each([1])('doctor', () => {});`, true],
    ['refuses a test title of one word in backticks', 'test.only(`doctor`, async () => {});', true],
    ['allows a test title that is a sentence', `it('prints what is wrong', () => {});`, false],
    ['allows a test title that the table has', `it.each(['prints what is wrong'])('%s', () => {});`, false],
    ['allows a function named test', `test('success', 'pending');`, false],
  ];

  for (const [title, text, breaks] of cases) {
    const rules = linting({ file: 'libs/kube/src/client/client.ts', text: `${text}\n` });
    it(title, () => {
      expect(rules().includes(syntaxRule)).toBe(breaks);
    });
  }
});

describe('lint of the pure steps of a reconciler', () => {
  const folder = 'apps/gitops-responder/src/event-response';
  const clock = 'no-restricted-properties';
  const cases: [title: string, file: string, text: string, rule: string, breaks: boolean][] = [
    ['files', 'decide.ts', `import { readFile } from 'node:fs/promises';`, pureRule, true],
    ['programs', 'conclude.ts', `import { spawn } from 'node:child_process';`, pureRule, true],
    ['HTTP', 'conclude.ts', `import { request } from 'undici';`, pureRule, true],
    ['git', 'decide.ts', `import { createMirror } from '@interlock/git';`, pureRule, true],
    ['the SCM', 'conclude.ts', `import { ensureClosed } from '@interlock/scm';`, pureRule, true],
    ['a client', 'decide.ts', `import { createClient } from '@interlock/kube';`, pureRule, true],
    ['act.ts', 'conclude.ts', `import { actOnResponse } from './act.js';`, pureRule, true],
    ['observe.ts', 'decide.ts', `import { observeResponse } from './observe.js';`, pureRule, true],
    ['the clock', 'decide.ts', `export const now = Date.now();`, clock, true],
    ['what is random', 'conclude.ts', `export const random = Math.random();`, clock, true],
    ['a type of act.ts', 'conclude.ts', `import type { Sent } from './act.js';`, pureRule, false],
    ['a type of observe.ts', 'decide.ts', `import { type Seen } from './observe.js';`, pureRule, false],
    [
      'a type of the SCM',
      'decide.ts',
      `import type { ScmRepository } from '@interlock/scm';`,
      pureRule,
      false,
    ],
    ['conditions', 'conclude.ts', `import { markReady } from '@interlock/kube';`, pureRule, false],
    ['digests', 'decide.ts', `import { createHash } from 'node:crypto';`, pureRule, false],
    ['the SCM in an act', 'act.ts', `import { ensureClosed } from '@interlock/scm';`, pureRule, false],
  ];

  for (const [what, name, text, rule, breaks] of cases) {
    const rules = linting({ file: `${folder}/${name}`, text: `${text}\n` });
    it(`${breaks ? 'refuses' : 'allows'} ${what} in ${name}`, () => {
      expect(rules().includes(rule)).toBe(breaks);
    });
  }
});

describe('the folders of kinds', () => {
  const shownProblems = (files: ReadonlyMap<string, string>): string[] =>
    kindProblems(files).map(({ folder, rule }) => `${folder} ${rule}`);

  it('have one file for each step of a reconciler', () => {
    const problems = kindProblems(texts(sources()));
    const excepted = new Set(
      kindExceptions.flatMap(({ folder, rules }) => rules.map((rule) => `${folder} ${rule}`)),
    );
    const found = new Set(problems.map(({ folder, rule }) => `${folder} ${rule}`));
    expect(problems.filter(({ folder, rule }) => !excepted.has(`${folder} ${rule}`))).toEqual([]);
    expect([...excepted].filter((one) => !found.has(one))).toEqual([]);
  });

  it('are reported when a step is missing', () => {
    const folder = 'apps/app/src/kind';
    const good = new Map([
      [`${folder}/reconciler.ts`, 'manager.addReconciler({ observe: (object) => ({ object }) });\n'],
      [`${folder}/decide.ts`, ''],
      [`${folder}/decide.test.ts`, ''],
      ['apps/app/src/app.ts', ''],
    ]);
    expect(shownProblems(good)).toEqual([]);
    const bad = new Map([
      [`${folder}/reconciler.ts`, 'manager.addReconciler(parts);\n'.repeat(81)],
      [`${folder}/controller.ts`, ''],
    ]);
    expect(shownProblems(bad)).toEqual(
      ['controller', 'length', 'observe', 'decide', 'test'].map((rule) => `${folder} ${rule}`),
    );
  });
});

describe('exported functions', () => {
  it('have unique names in all shipped code', () => {
    const shipped = sources().filter((file) => /^(apps|libs)\//.test(file) && !isTest(file));
    const shared = sharedNames(texts(shipped));
    const excepted = sharedNameExceptions.flatMap(({ names }) => names);
    expect([...shared].filter(([name]) => !excepted.includes(name))).toEqual([]);
    expect(excepted.filter((name) => !shared.has(name))).toEqual([]);
  });

  it('are reported when they share a name across projects, but not within one', () => {
    const shared = sharedNames(
      new Map([
        [
          'apps/one/src/a.ts',
          'export function cut(text: string): string {}\nexport function only(): void {}\n',
        ],
        ['libs/two/src/b.ts', 'export async function cut(): Promise<void> {}\nfunction only(): void {}\n'],
        ['libs/two/src/c.ts', 'export function twice(): void {}\n'],
        ['libs/two/src/d.ts', 'export function twice(): void {}\n'],
      ]),
    );
    expect([...shared]).toEqual([['cut', ['apps/one/src/a.ts', 'libs/two/src/b.ts']]]);
  });
});

describe('source files', () => {
  it('have at most 300 lines, tests at most 600', () => {
    const long = sources().filter((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
      return lines > (isTest(file) ? 600 : 300);
    });
    expect(long).toEqual([]);
  });

  it('have no import cycles, not even for types', () => {
    const files = new Set(sources());
    const allowed = new Set(allowedCircles.map(({ from, to }) => `${from} ${to}`));
    const imports = new Map(
      [...files].map((file) => [
        file,
        importsOf(file).filter((one) => files.has(one) && !allowed.has(`${file} ${one}`)),
      ]),
    );
    expect(findCircle(imports)).toBeUndefined();
    const stale = allowedCircles.filter(({ from, to }) => !files.has(from) || !importsOf(from).includes(to));
    expect(stale).toEqual([]);
    expect(
      findCircle(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['a']],
        ]),
      ),
    ).toEqual(['a', 'b', 'c', 'a']);
  });
});

/** Type imports that form a cycle in an app, until the app is rewritten. None of them exists at run time. */
const allowedCircles: { from: string; to: string; reason: string }[] = [
  {
    from: 'apps/cli/src/gate/ics.ts',
    to: 'apps/cli/src/gate/calendar.ts',
    reason: 'the printer of a calendar takes its entries from the command that lists them',
  },
  {
    from: 'apps/commit-status-sync/test/harness/team.ts',
    to: 'apps/commit-status-sync/test/harness/fixture.ts',
    reason: 'a team acts on the environment that creates it',
  },
  {
    from: 'apps/gitops-responder/src/attempt/decorate.ts',
    to: 'apps/gitops-responder/src/attempt/attempt.ts',
    reason: 'the input of an attempt is declared beside its first step',
  },
  {
    from: 'apps/gitops-responder/src/attempt/propose.ts',
    to: 'apps/gitops-responder/src/attempt/attempt.ts',
    reason: 'the input of an attempt is declared beside its first step',
  },
  {
    from: 'apps/promoter/test/harness/team.ts',
    to: 'apps/promoter/test/harness/fixture.ts',
    reason: 'a team acts on the environment that creates it',
  },
];

const importPattern = /^(?:import|export)\s+[^;]*?from\s+'(\.{1,2}\/[^']+)\.js';/gm;

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importPattern)].map(
    ([, path]) => `${normalize(join(dirname(file), path ?? ''))}.ts`,
  );
}

function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    const seen = path.indexOf(file);
    if (seen >= 0) return [...path.slice(seen), file];
    if (done.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return undefined;
}

describe('modules that tests share', () => {
  /* Modules are loaded once for all test files of a process, so the hook would run only in the first file. */
  const hook = /^(?:before|after)(?:All|Each)\(/m;

  it('have hooks only in functions', () => {
    const shared = sources().filter((file) => !file.endsWith('.test.ts'));
    const wrong = [...texts(shared)].filter(([, text]) => hook.test(text));
    expect(wrong.map(([file]) => file)).toEqual([]);
  });

  it('are reported when they have one', () => {
    expect(hook.test('const a = 1;\nafterAll(() => close());\n')).toBe(true);
    expect(hook.test('export function closing() {\n  afterAll(() => close());\n}\n')).toBe(false);
  });
});

describe('docs/peers.md', () => {
  it('names tests that exist', () => {
    const rows = readFileSync(join(root, 'docs/peers.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ') && line.includes('.ts'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows.length).toBeGreaterThanOrEqual(36);
    const missing = rows.filter(([, , , file = '', title = '']) => {
      const path = join(root, file);
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`);
    });
    expect(missing.map(([, , , file, title]) => `${file}: ${title}`)).toEqual([]);
  });
});

describe('README', () => {
  it('names scripts that exist, and links to pages that exist', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm (?:run )?(start|test|[a-z]+:[a-z]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(named).toEqual(expect.arrayContaining(['start', 'test']));
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path ?? '');
    expect(links.length).toBeGreaterThan(3);
    const tracked = new Set(execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n'));
    expect(links.filter((path) => !tracked.has(path))).toEqual([]);
  });
});
