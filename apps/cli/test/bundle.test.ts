import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { version } from '../src/version.js';
import { config, event, response } from './respond/manifests.js';

const bundle = fileURLToPath(new URL('../dist/main.mjs', import.meta.url));
let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'cli-bundle-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

function call(path: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test.each([
  ['interlock', ['gate', 'version'], `interlock gate: v${version}\n`],
  ['flux-gate', ['version'], `flux-gate: v${version}\n`],
  ['kubectl-interlock', ['gate', 'version'], `kubectl interlock gate: v${version}\n`],
])('runs the bundle under the name %s', async (name, args, stdout) => {
  const path = join(folder, name);
  await symlink(bundle, path);
  expect(await call(path, ...args)).toEqual({ code: 0, stdout, stderr: '' });
});

test('explains responses without a cluster', async () => {
  const file = join(folder, 'objects.yaml');
  await writeFile(file, [config, event, response({ path: 'a.txt', contents: 'x' })].join('---\n'));
  const explained = await call(bundle, 'respond', 'explain', '-f', file, '--dry-run');
  expect(explained).toMatchObject({ code: 0, stderr: '' });
  expect(explained.stdout).toContain('✔ route 1 is selected\n');
  expect(explained.stdout).toContain('  ugallu: respond to se-1\n');
  expect(await call(bundle, 'respond', 'explain', '-f', file, '--responder-name', 'x')).toMatchObject({
    code: 3,
  });
});

test('exits with the code of the command', async () => {
  const file = join(folder, 'wrong.yaml');
  await writeFile(file, 'apiVersion: gating.toolkit.fluxcd.io/v1alpha1\nkind: Door\n');
  expect(await call(bundle, 'gate', 'lint', file)).toMatchObject({ code: 1, stderr: '' });
  expect(await call(bundle, 'gate', 'shut')).toEqual({
    code: 2,
    stdout: '',
    stderr: "✗ unknown command 'shut'\n",
  });
});

test.each(['stdout', 'stderr'] as const)(
  'exits with the code of the command if nobody reads its %s',
  async (stream) => {
    const file = join(folder, 'unread.yaml');
    await writeFile(file, 'apiVersion: gating.toolkit.fluxcd.io/v1alpha1\nkind: Door\n');
    const args = stream === 'stdout' ? ['gate', 'lint', file] : ['gate', 'shut'];
    const child = spawn(process.execPath, [bundle, ...args]);
    child[stream].destroy();
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(stream === 'stdout' ? 1 : 2);
  },
);
