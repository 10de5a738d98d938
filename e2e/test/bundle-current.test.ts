import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isCurrent } from '../../tools/bundle/current.mjs';

const project = 'apps/one';
const [before, madeAt, after] = [1000, 2000, 3000];
const inputs = ['apps/one/src/main.ts', 'libs/two/src/index.ts', 'node_modules/three/index.js'];
const others = [
  'apps/one/package.json',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.base.json',
  ...['bundle', 'entry', 'notices', 'packages', 'sbom', 'slim', 'worker-source'].map(
    (name) => `tools/bundle/${name}.mjs`,
  ),
];
const main = 'apps/one/dist/main.mjs';
const meta = 'apps/one/dist/meta.json';

let root: string;

function write(path: string, seconds: number, text = ''): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, seconds, seconds);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-current-'));
  for (const path of [...inputs, ...others]) write(path, before);
  write(main, after);
  const read = [
    ...inputs,
    'worker-source:libs/two/src/thread.worker.ts',
    'stoppable-entry:apps/one/src/main.ts',
  ];
  const made = [main, 'libs/two/src/thread.worker.ts'];
  const text = JSON.stringify({
    inputs: Object.fromEntries(read.map((path) => [path, {}])),
    outputs: Object.fromEntries(made.map((path) => [path, {}])),
  });
  write(meta, madeAt, text);
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a bundle', () => {
  it('is current when all its sources are older', () => {
    expect(isCurrent(root, project)).toBe(true);
  });

  it.each([...inputs, ...others])('is not current when %s is newer', (path) => {
    write(path, after);
    expect(isCurrent(root, project)).toBe(false);
  });

  it.each([...inputs, main, meta])('is not current without %s', (path) => {
    rmSync(join(root, path));
    expect(isCurrent(root, project)).toBe(false);
  });

  it('is not current when the list of its sources is incomplete', () => {
    write(meta, madeAt, '{"inputs":{"apps/one/src');
    expect(isCurrent(root, project)).toBe(false);
  });
});
