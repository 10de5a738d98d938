import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { workerPlugin } from '../../../bundle/worker-source.mjs';
import { TestClient } from '../testing/client.js';
import { pod, podsPath, shell } from '../testing/pods.js';

let folder: string;
let temporary: string;
let server: ChildProcess;
let client: TestClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubelet-test-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const require = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
  await build({
    entryPoints: [new URL('./testing/server.ts', import.meta.url).pathname],
    outfile: join(folder, 'server.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    banner: { js: require },
    plugins: [workerPlugin()],
    logLevel: 'silent',
  });
});
afterEach(async () => {
  server.kill('SIGKILL');
  await client.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function start(): Promise<void> {
  const env = { PATH: process.env['PATH'], TMPDIR: temporary };
  server = spawn(process.execPath, [join(folder, 'server.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (server.stdout === null) throw new Error('there is no pipe');
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  client = new TestClient(JSON.parse(line) as ConstructorParameters<typeof TestClient>[0]);
}

/** Waits for a condition that nothing announces. Rejects after twenty seconds. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 400; !(await condition()); left -= 1) {
    if (left === 0) throw new Error('the condition did not become true');
    await delay(50);
  }
}

/** The ids of processes whose environment names the temporary folder of the test. */
function processes(): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'latin1').includes(temporary);
    } catch {
      return false;
    }
  });
}

async function phases(): Promise<string[]> {
  const { body } = await client.call('GET', podsPath);
  return (body['items'] as { status: { phase: string } }[]).map(({ status }) => status.phase);
}

const stubborn = 'trap "" TERM; sleep 600 & while :; do wait; done';

async function create(count: number, script: string): Promise<void> {
  const names = Array.from({ length: count }, (_, number) => `p${number}`);
  await Promise.all(
    names.map(async (name) => {
      const body = pod(name, [shell('c', script)], { terminationGracePeriodSeconds: 5 });
      const { status, text } = await client.call('POST', podsPath, { body });
      if (status !== 201) throw new Error(text);
    }),
  );
  await until(async () => (await phases()).every((phase) => phase === 'Running'));
}

describe('a server with pods', () => {
  it('leaves no process and no file when it is killed', async () => {
    await start();
    await create(3, stubborn);
    expect(processes().length).toBeGreaterThanOrEqual(6);
    expect(readdirSync(temporary).length).toBeGreaterThan(0);
    server.kill('SIGKILL');
    await until(() => processes().length === 0 && readdirSync(temporary).length === 0);
  });

  it('starts and ends many pods, and leaves nothing of them', async () => {
    await start();
    await create(20, 'trap "exit 0" TERM; while :; do sleep 0.1; done');
    await client.call('DELETE', podsPath);
    await until(async () => (await phases()).length === 0);
    const [kubelet = ''] = readdirSync(temporary).filter((name) => name.startsWith('interlock-kubelet-'));
    const shared = ['preload.cjs', 'services.json'];
    await until(() => readdirSync(join(temporary, kubelet)).every((name) => shared.includes(name)));
  });

  it('ends its pods and removes its folders when it stops', async () => {
    await start();
    await create(3, stubborn);
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await until(() => processes().length === 0 && readdirSync(temporary).length === 0);
  });
});
