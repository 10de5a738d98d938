import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { isRunning, until } from './testing/processes.js';
import { bundleParent } from './testing/program.js';

interface Line {
  code?: number;
  launcher?: number;
  child?: number;
  grandchild?: number;
}

let folder: string;
let sockets: string;
let started: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'process-test-'));
  sockets = join(folder, 'tmp');
  mkdirSync(sockets);
  await bundleParent(join(folder, 'parent.mjs'));
});
afterEach(() => void started?.kill('SIGKILL'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the program with a separate folder for temporary files. Returns the process, with the first line of its output. */
async function parent(mode: string, temporary = sockets): Promise<{ process: ChildProcess; line: Line }> {
  const env = { PATH: process.env['PATH'], TMPDIR: temporary };
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [join(folder, 'parent.mjs'), mode], { env, stdio: [...stdio] });
  started = child;
  if (child.stdout === null) throw new Error('there is no pipe');
  const [text] = await once(createInterface({ input: child.stdout }), 'line');
  return { process: child, line: JSON.parse(String(text)) as Line };
}

test('leaves no process running when its parent is killed', async () => {
  const { process: killed, line } = await parent('forever');
  const pids = [line.launcher, line.child, line.grandchild].map((pid) => pid ?? 0);
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  expect(readdirSync(sockets)).toHaveLength(1);
  killed.kill('SIGKILL');
  await until(() => !pids.some(isRunning));
  expect(readdirSync(sockets)).toEqual([]);
});

test('lets an idle parent end, together with its launcher', async () => {
  const { process: idle, line } = await parent('once');
  expect(line.code).toBe(0);
  if (idle.exitCode === null) await once(idle, 'exit');
  expect(idle.exitCode).toBe(0);
  await until(() => !isRunning(line.launcher ?? 0));
  await until(() => readdirSync(sockets).length === 0);
});

test('starts programs even if the path of the folder for temporary files is too long for a socket', async () => {
  const deep = join(sockets, 'x'.repeat(100));
  mkdirSync(deep);
  const { process: idle, line } = await parent('once', deep);
  expect(line.code).toBe(0);
  if (idle.exitCode === null) await once(idle, 'exit');
  rmSync(deep, { recursive: true });
});

test('keeps a parent running while its process runs', async () => {
  expect((await parent('brief')).line).toEqual({ code: 0 });
});
