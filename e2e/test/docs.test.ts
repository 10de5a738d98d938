import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { customKinds, type KubeObject } from '@interlock/api';
import { parseAllDocuments } from 'yaml';
import { argumentSources, blocksOf, coverage, type Block, type Coverage } from './support/doc-blocks.js';
import { root } from './support/program.js';
import { trackedTexts } from './support/source-files.js';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = trackedTexts('README.md', 'CONTRIBUTING.md', 'docs/*.md');
const blocks = [...pages].flatMap(([page, text]) => blocksOf(page, text, ['sh', 'yaml']));
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const isFor = (row: Coverage, { page, language, text }: Block): boolean =>
  row.page === page && row.language === language && text.startsWith(row.start ?? '');
const blocksThat = (how: Coverage['how']): Block[] =>
  blocks.filter((block) => coverage.some((row) => row.how === how && isFor(row, block)));

describe('the README and the pages of docs/', () => {
  it('have a test for every command and manifest', () => {
    const without = blocks.filter((block) => coverage.filter((row) => isFor(row, block)).length !== 1);
    expect(without.map(({ page, text }) => `${page}: ${text.split('\n')[0]}`)).toEqual([]);
    expect(coverage.filter((row) => !blocks.some((block) => isFor(row, block)))).toEqual([]);
    expect(blocks.length).toBeGreaterThan(70);
  });

  it('have tests that exist and that read the page whose blocks they run', () => {
    expect(coverage.filter(({ test }) => !existsSync(join(root, test)))).toEqual([]);
    const reading = coverage.filter(({ how, test }) => how === 'runs' && test !== 'e2e/test/docs.test.ts');
    const wrong = reading.filter(({ page, test }) => !read(test).includes(page.replace('docs/', '')));
    expect(wrong.map(({ page, test }) => `${test} does not read ${page}`)).toEqual([]);
  });
});

describe('the commands of the pages', () => {
  const commands = blocksThat('checks').flatMap(({ text }) => text.trim().split('\n'));

  it('name scripts and projects that exist', () => {
    const ofNpm = commands.flatMap((one) => /^npm (?:run )?([\w:]+)/.exec(one)?.[1] ?? []);
    expect(ofNpm.filter((name) => name !== 'ci' && scripts[name] === undefined)).toEqual([]);
    const ofNx = commands.flatMap((one) => /^npx nx (?:run|test) ([\w-]+)/.exec(one)?.[1] ?? []);
    const exists = (name: string): boolean =>
      ['apps', 'libs', 'tools'].some((folder) => existsSync(join(root, folder, name)));
    expect(ofNx.filter((name) => !exists(name))).toEqual([]);
    expect(Math.min(ofNpm.length, ofNx.length)).toBeGreaterThan(2);
  });

  it('have only flags that the command supports', () => {
    expect(unknownArguments(commands)).toEqual([]);
    expect(unknownArguments(['npm start -- --often', 'npm run bench -- speed'])).toEqual([
      'npm start -- --often: --often',
      'npm run bench -- speed: speed',
    ]);
  });
});

/** Returns the flags, and the names of benchmarks, that the sources of a command do not have. */
function unknownArguments(commands: readonly string[]): string[] {
  return commands.flatMap((command) => {
    const source = argumentSources.find((one) => one.command.test(command));
    if (source === undefined) return [];
    const text = source.files.map(read).join('\n');
    const args = command.replace(source.command, '').trim().split(/\s+/);
    const names = command.startsWith('npm run bench') ? args : args.filter((one) => one.startsWith('--'));
    return names
      .filter((name) => !new RegExp(`['\`"\\s]${name.replace('--', '(--)?')}\\b`).test(text))
      .map((name) => `${command}: ${name}`);
  });
}

type Manifest = Partial<KubeObject> & { spec?: object };

/** Returns the first manifest of a page. Further blocks may show a part of the same object. */
function firstOf(page: string): Manifest {
  const [first] = blocksOf(page, pages.get(page) ?? '', ['yaml']);
  return parseAllDocuments(first?.text ?? '')[0]?.toJS() as Manifest;
}

describe('the manifests of the pages', () => {
  const ofUs = blocksThat('validates').flatMap(({ page, text }) =>
    parseAllDocuments(text).flatMap((document) => {
      const object = document.toJS() as Manifest;
      const { apiVersion, kind } = object.kind === undefined ? firstOf(page) : object;
      const found = customKinds.find((one) => one.kind === kind && apiVersion?.startsWith(`${one.group}/`));
      return found === undefined ? [] : [{ page, object, kind: found }];
    }),
  );

  it.each(ofUs)('have only fields of their kind: $kind.kind of $page', ({ page, object, kind }) => {
    const { spec = {} } = object;
    expect(
      kind.spec.parse(object.kind === undefined ? { ...firstOf(page).spec, ...spec } : spec),
    ).toMatchObject(spec);
  });

  it('are of the kinds PromotionStrategy, ActionsGateway and RunnerGroup', () => {
    expect(new Set(ofUs.map(({ kind }) => kind.kind))).toEqual(
      new Set(['PromotionStrategy', 'ActionsGateway', 'RunnerGroup']),
    );
  });
});

describe('docs/architecture.md', () => {
  const text = pages.get('docs/architecture.md') ?? '';
  const firstCells = [...text.matchAll(/^\| (\S[^|]*?) *\|/gm)].map(([, cell = '']) =>
    cell.replaceAll('`', ''),
  );

  it('has a row for each kind, with its group', () => {
    const rows = customKinds.map(({ kind, group }) => new RegExp(`^\\| ${kind} +\\| \`${group}\` +\\|`, 'm'));
    expect(rows.filter((row) => !row.test(text))).toEqual([]);
    const reconciled = text.slice(0, text.indexOf('## The kinds'));
    const written = ['SecurityEvent'];
    const kinds = customKinds.map(({ kind }) => kind).filter((kind) => !written.includes(kind));
    expect(kinds.filter((kind) => !new RegExp(`\\b${kind}\\b`).test(reconciled))).toEqual([]);
  });

  it('has a row for each app, library and tool', () => {
    const files = [...trackedTexts('apps/*', 'libs/*', 'tools/*').keys()].map((file) => file.split('/'));
    const folders = new Set(files.map(([kind, name]) => (kind === 'apps' ? name : `${kind}/${name}`)));
    expect([...folders].filter((folder) => !firstCells.includes(folder ?? ''))).toEqual([]);
    const named = firstCells.filter((cell) => /^(libs|tools)\/\w/.test(cell));
    expect(named.filter((folder) => !folders.has(folder))).toEqual([]);
  });
});

it.each([
  'agc',
  'commit-status-sync',
  'egress-proxy',
  'gate-controller',
  'gitops-responder',
  'gmc',
  'promoter',
])('docs/%s.md states how to list the flags of the app', (app) => {
  expect(pages.get(`docs/${app}.md`)).toContain('--help`');
});

it('docs/agc.md has a row for each metric of the agc', () => {
  const source = read('apps/agc/src/metrics.ts') + read('apps/agc/src/github/metrics.ts');
  const names = [...source.matchAll(/^ {2}([a-z_]+): \[|describe\(\s*'([a-z_]+)'/gm)].map(
    ([, table, call]) => table ?? call,
  );
  const rows = (pages.get('docs/agc.md') ?? '').matchAll(
    /^\| `([a-z_]+)` +\| (?:counter|gauge|histogram) /gm,
  );
  expect([...rows].map(([, name]) => name).sort()).toEqual(names.sort());
});

it('docs/promoter.md states what to do for each reason of a failure of git', () => {
  const source = read('libs/git/src/process/failure.ts');
  const reasons = [...source.matchAll(/^export const \w+ = '([A-Z]\w+)';$|'[A-Z]\w+',\s+'([A-Z]\w+)'/gm)].map(
    ([, constant, literal]) => constant ?? literal ?? '',
  );
  expect(reasons.length).toBeGreaterThan(15);
  const cells = [...(pages.get('docs/promoter.md') ?? '').matchAll(/^\| (`[^|]+) \|[^|]+\|$/gm)];
  const documented = new Set(cells.flatMap(([, cell = '']) => cell.match(/[A-Z]\w+/g) ?? []));
  expect(reasons.filter((reason) => !documented.has(reason))).toEqual([]);
});

it('docs/scm.md names each reason of a failure of an SCM', () => {
  const sources = [...trackedTexts('libs/scm/src/*.ts')].filter(
    ([file]) => !/\.test\.ts$|testing/.test(file),
  );
  const reasons = sources.flatMap(([, text]) =>
    [...text.matchAll(/reason: '([A-Z]\w+)'/g)].map(([, reason = '']) => reason),
  );
  expect(reasons.length).toBeGreaterThan(50);
  const page = pages.get('docs/scm.md') ?? '';
  expect([...new Set(reasons)].filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
});

it('README has the same installation commands as docs/install.md', () => {
  const commandsOf = (page: string): string[][] =>
    blocksOf(page, pages.get(page) ?? '', ['sh']).map(({ text }) => text.trim().split('\n'));
  const install = commandsOf('README.md').find(([first]) => first?.startsWith('kubectl') === true);
  expect(commandsOf('docs/install.md')).toContainEqual(install);
});
