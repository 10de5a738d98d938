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
import type { JsonObject } from '../schema/types.js';
import { TestClient } from '../testing/client.js';
import { pod, podsPath, shell } from '../testing/pods.js';
import { hasNamespaces } from './process/namespaces.js';

/* The second node never uses namespaces. */
const nodes = ['node-1', 'node-2'];
const isIsolated = await hasNamespaces();
if (!isIsolated) {
  process.stdout.write(
    'skipped: daemons and programs that clear their environment: this machine does not let its users make namespaces\n',
  );
}

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
  for (const id of daemons()) process.kill(id, 'SIGKILL');
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

/** Polls a condition. Rejects after twenty seconds. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 400; !(await condition()); left -= 1) {
    if (left === 0) throw new Error('the condition did not become true');
    await delay(50);
  }
}

/** Returns the ids of processes whose environment or arguments match a pattern. */
function processesWith(file: 'environ' | 'cmdline', pattern: RegExp): number[] {
  const ids = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && pattern.test(readFileSync(`/proc/${name}/${file}`, 'latin1'));
    } catch {
      return false;
    }
  });
  return ids.map(Number);
}

/** Returns the processes whose environment names the temporary folder of the test. */
const processes = (): number[] => processesWith('environ', new RegExp(temporary));
/** Returns the daemons, whose last argument is the temporary folder of their pod. */
const daemons = (): number[] => processesWith('cmdline', new RegExp(`\0${temporary}/[^\0]*/tmp\0$`));

/** Returns the launcher of the server. */
function launcherOf({ pid }: ChildProcess): number {
  const isChild = (id: number): boolean =>
    readFileSync(`/proc/${id}/status`, 'latin1').includes(`\nPPid:\t${pid}\n`);
  return processesWith('cmdline', /^interlock-launcher/).find(isChild) ?? 0;
}

const hasProcesses = (): boolean => processes().length > 0 || daemons().length > 0;

/** Returns the folders that kubelets keep their files in. */
function kubeletFolders(): string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('interlock-kubelet-'));
}

async function phases(): Promise<string[]> {
  const { body } = await client.call('GET', podsPath);
  return (body['items'] as { status: { phase: string } }[]).map(({ status }) => status.phase);
}

const stubborn = 'trap "" TERM; sleep 600 & while :; do wait; done';

async function createPod(name: string, containers: JsonObject[], spec: JsonObject): Promise<void> {
  const body = pod(name, containers, { terminationGracePeriodSeconds: 5, ...spec });
  const { status, text } = await client.call('POST', podsPath, { body });
  if (status !== 201) throw new Error(text);
}

async function create(names: string[], script: string): Promise<void> {
  await Promise.all(names.map((name) => createPod(name, [shell('c', script)], {})));
}

const isEvery = async (phase: string): Promise<boolean> => (await phases()).every((one) => one === phase);

/**
 * Creates a pod on each node. The program and the hook of the pod each start a daemon, in a separate session and
 * without a parent. Then the program continues with the script. Where containers have namespaces, the daemons do not
 * keep the environment.
 */
async function createDaemons(script: string, spec: JsonObject = {}): Promise<void> {
  await Promise.all(
    nodes.map((nodeName) => {
      const session = isIsolated && nodeName === 'node-1' ? 'env -i setsid' : 'setsid';
      const daemonize = (name: string): string =>
        `(${session} sh -c 'touch "$0/${name}"; while :; do sleep 1; done' "$TMPDIR" > /dev/null 2>&1 &)`;
      const areUp = 'until test -e "$TMPDIR/own" && test -e "$TMPDIR/hooked"; do sleep 0.05; done';
      const postStart = { exec: { command: ['sh', '-c', daemonize('hooked')] } };
      const container = shell('c', `${daemonize('own')}; ${areUp}; ${script}`, { lifecycle: { postStart } });
      return createPod(`daemon-${nodeName}`, [container], { nodeName, ...spec });
    }),
  );
}

const areDaemonsUp = (others = 0): boolean => daemons().length === 2 * nodes.length + others;

/**
 * Creates a pod whose program leaves its session and its process group, does not end with its parent, and keeps nothing
 * of its environment. Without namespaces, such a program could not be found, so it is not created. Returns the number
 * of created pods.
 */
async function createFugitive(): Promise<number> {
  if (!isIsolated) return 0;
  const leave = 'exec setpriv --pdeathsig clear setsid env -i';
  const script = `${leave} sh -c 'trap "" TERM; touch "$0/own"; while :; do sleep 1; done' "$TMPDIR"`;
  await createPod('fugitive', [shell('c', script)], { nodeName: 'node-1' });
  await until(() => daemons().length === 1);
  return 1;
}

describe('a server with pods', () => {
  it('leaves neither processes nor files when it is killed', async () => {
    await start();
    const others = await createFugitive();
    await create(['a', 'b', 'c'], stubborn);
    await createDaemons(stubborn);
    await until(async () => (await isEvery('Running')) && areDaemonsUp(others));
    expect(processes().length).toBeGreaterThanOrEqual(10);
    expect(readdirSync(temporary).length).toBeGreaterThan(0);
    server.kill('SIGKILL');
    await until(() => !hasProcesses() && readdirSync(temporary).length === 0);
  });

  it('leaves neither processes nor files of its pods when it is killed together with its launcher', async () => {
    await start();
    const others = await createFugitive();
    await createDaemons(stubborn);
    await until(() => areDaemonsUp(others));
    const launcher = launcherOf(server);
    expect(launcher).toBeGreaterThan(0);
    server.kill('SIGKILL');
    process.kill(launcher, 'SIGKILL');
    /* The launcher leaves its socket behind. */
    await until(() => !hasProcesses() && kubeletFolders().length === 0);
    for (const name of readdirSync(temporary)) rmSync(join(temporary, name), { recursive: true });
  });

  it('ends the daemons of a container with it', async () => {
    await start();
    await createDaemons('exit 0', { restartPolicy: 'Never' });
    await until(() => isEvery('Succeeded'));
    expect(daemons()).toEqual([]);
  });

  it('starts and ends many pods without leaving processes or files', async () => {
    await start();
    const names = Array.from({ length: 20 }, (_, number) => `p${number}`);
    await create(names, 'trap "exit 0" TERM; while :; do sleep 0.1; done');
    await createDaemons('trap "exit 0" TERM; while :; do sleep 0.1; done');
    await until(async () => (await isEvery('Running')) && areDaemonsUp());
    await client.call('DELETE', podsPath);
    await until(async () => (await phases()).length === 0);
    expect(daemons()).toEqual([]);
    const shared = ['preload.cjs', 'services.json'];
    await until(() =>
      kubeletFolders()
        .flatMap((folder) => readdirSync(join(temporary, folder)))
        .every((name) => shared.includes(name)),
    );
  });

  it('ends its pods and removes its folders when it stops', async () => {
    await start();
    await create(['a', 'b', 'c'], stubborn);
    await createDaemons(stubborn);
    await until(() => areDaemonsUp());
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await until(() => !hasProcesses() && readdirSync(temporary).length === 0);
  });
});
