import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { certify, tlsFlags } from './harness/proxies.js';

const bundle = fileURLToPath(new URL('../dist/main.mjs', import.meta.url));
let folder: string;
let proxy: ChildProcess | undefined;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'interlock-proxy-'))));
afterAll(() => {
  proxy?.kill('SIGKILL');
  return rm(folder, { recursive: true, force: true });
});

test('a proxy that gets SIGTERM while it starts stops as soon as it has started', async () => {
  await certify(folder);
  /* The proxy waits for the contents of this pipe, so the signal arrives before it has started. */
  const pipe = join(folder, 'tls.key');
  const key = join(folder, 'key');
  await rename(pipe, key);
  await promisify(execFile)('mkfifo', [pipe]);
  const flags = ['--bind-address=127.0.0.1:0', '--health-probe-bind-address=0', '--shutdown-linger=0s'];
  proxy = spawn(process.execPath, [bundle, ...flags, ...tlsFlags(folder)], { stdio: 'ignore' });
  const exited = once(proxy, 'exit');
  const writer = await open(pipe, 'w');
  proxy.kill('SIGTERM');
  await writer.writeFile(await readFile(key));
  await writer.close();
  expect(await exited).toEqual([0, null]);
});
