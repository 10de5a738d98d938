import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, jest } from '@jest/globals';

jest.setTimeout(120_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const boundaryRule = '@nx/enforce-module-boundaries';

/** @returns the rules that a file would break if this were its text. */
function lint(file: string, text: string): string[] {
  const args = ['eslint', '--stdin', '--stdin-filename', file, '--format', 'json'];
  const env = { ...process.env, NX_DAEMON: 'false', NODE_OPTIONS: '' };
  const { stdout, stderr } = spawnSync('npx', args, { cwd: root, input: text, encoding: 'utf8', env });
  if (!stdout.startsWith('[')) throw new Error(`eslint did not answer: ${stderr}`);
  const results = JSON.parse(stdout) as { messages: { ruleId: string | null; message: string }[] }[];
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message));
}

function sources(): string[] {
  const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' });
  return files.split('\n').filter((file) => file !== '' && !file.endsWith('.d.ts'));
}

const isTest = (file: string): boolean => /\.test\.ts$|\/test\/|\/testing\//.test(file);

describe('lint', () => {
  it.each([
    ['an app may not use a tool', 'apps/promoter/src/app.ts', '@interlock/devcluster'],
    [
      'an app may not use another app',
      'apps/promoter/src/app.ts',
      '../../commit-status-sync/src/commit-status/decide.js',
    ],
    ['a library may not use a tool', 'libs/scm/src/registry.ts', '@interlock/forge'],
    ['libs/api uses nothing', 'libs/api/src/object.ts', '@interlock/kube'],
    ['libs/kube may not use libs/git', 'libs/kube/src/client/client.ts', '@interlock/git'],
  ])('%s', (_rule, file, target) => {
    expect(lint(file, `export * from '${target}';\n`)).toContain(boundaryRule);
  });

  it.each([
    ['an app may use a library', 'apps/promoter/src/app.ts', '@interlock/kube'],
    ['a test may use a tool', 'libs/kube/test/status.test.ts', '@interlock/devcluster'],
  ])('%s', (_rule, file, target) => {
    expect(lint(file, `export * from '${target}';\n`)).not.toContain(boundaryRule);
  });

  it('only libs/kube may use the Kubernetes client package', () => {
    const text = "export * from '@kubernetes/client-node';\n";
    expect(lint('apps/promoter/src/app.ts', text)).toContain('no-restricted-imports');
    expect(lint('libs/kube/src/client/credentials.ts', text)).not.toContain('no-restricted-imports');
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

  it('do not import each other in a circle', () => {
    const files = new Set(sources());
    const imports = new Map(
      [...files].map((file) => [file, importsOf(file).filter((one) => files.has(one))]),
    );
    expect(findCircle(imports)).toBeUndefined();
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

/* Types are erased: an import of types alone makes no circle at run time. */
const importPattern = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+'(\.{1,2}\/[^']+)\.js';/gm;

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
