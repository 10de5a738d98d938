import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { assetsFromEnvironment } from './assets.js';
import { startControlPlane, type ControlPlane } from './control-plane.js';
import { get } from './probe.js';

const simulatedBinary = fileURLToPath(new URL('./testing/simulated-binary.mjs', import.meta.url));
const binaries = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
type Binary = (typeof binaries)[number];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-envtest-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

let folders = 0;
/** Creates a folder of binaries. Each is simulated unless its script is given; undefined omits it. */
async function createAssets(scripts: Partial<Record<Binary, string | undefined>> = {}): Promise<string> {
  const assets = join(folder, `assets-${(folders += 1)}`);
  await mkdir(assets);
  for (const binary of binaries) {
    const script =
      binary in scripts ? scripts[binary] : `exec '${process.execPath}' '${simulatedBinary}' ${binary} "$@"`;
    if (script === undefined) continue;
    await writeFile(join(assets, binary), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return assets;
}

async function createRuns(): Promise<string> {
  const runs = join(folder, `runs-${(folders += 1)}`);
  await mkdir(runs);
  return runs;
}

/** Returns the processes that were started for a folder of runs, which they have in their arguments. */
async function processesOf(runs: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.filter((command) => command.includes(runs));
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  while (!(await condition())) await delay(50, undefined, { signal });
}

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
}

function readKubeconfig({ kubeconfig }: ControlPlane) {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig;
  const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  return {
    server: cluster.server,
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
}

describe('a control plane', () => {
  it('serves an administrator over TLS, and leaves neither processes nor files', async () => {
    const runs = await createRuns();
    process.env['HTTPS_PROXY'] = 'http://127.0.0.1:1';
    process.env['ETCD_NAME'] = 'another-member';
    const plane = await startControlPlane({ assets: await createAssets(), folder: runs }).finally(() => {
      delete process.env['HTTPS_PROXY'];
      delete process.env['ETCD_NAME'];
    });
    try {
      expect(plane).toMatchObject({ hasControllerManager: true, version: 'v1.33.0' });
      const { server, ...identity } = readKubeconfig(plane);
      expect(server).toBe(plane.url);
      expect(await readFile(plane.kubeconfigPath, 'utf8')).toBe(plane.kubeconfig);
      expect(await get(`${server}/readyz`, identity)).toMatchObject({ status: 200 });
      const stranger = { ca: identity.ca } as typeof identity;
      expect(await get(`${server}/readyz`, stranger)).toMatchObject({ status: 401 });
      expect(await processesOf(runs)).toHaveLength(6);
    } finally {
      await plane.close();
    }
    expect(await processesOf(runs)).toEqual([]);
    expect(await readdir(runs)).toEqual([]);
    await plane.close();
  });

  it('starts without a controller manager if the assets do not contain it', async () => {
    const assets = await createAssets({ 'kube-controller-manager': undefined });
    const plane = await startControlPlane({ assets, folder: await createRuns() });
    expect(plane.hasControllerManager).toBe(false);
    await plane.close();
  });

  it.each<[string, Partial<Record<Binary, string>>, RegExp]>([
    [
      'a binary that fails, with its last log lines',
      { 'kube-apiserver': 'echo early; for line in $(seq 20); do echo "line $line" >&2; done; exit 3' },
      /^kube-apiserver ended with exit code 3 [^]*\/kube-apiserver\n[^]*:\n {2}line 6\n[^]* {2}line 20\nFix: /,
    ],
    ['a binary that a signal ends', { etcd: 'kill -KILL $$' }, /^etcd ended with exit code 137 /],
    [
      'a file that is not a program',
      { 'kube-controller-manager': 'exec /nowhere' },
      /^kube-controller-manager ended with exit code 12\d [^]*\/nowhere/,
    ],
    [
      'a binary that refuses its flags',
      { etcd: `exec '${process.execPath}' '${simulatedBinary}' etcd --enable-v2=true "$@"` },
      /^etcd ended with exit code 1 [^]*unknown flag: --enable-v2=true/,
    ],
  ])('reports %s', async (_, scripts, message) => {
    const runs = await createRuns();
    const start = startControlPlane({ assets: await createAssets(scripts), folder: runs });
    await expect(start).rejects.toThrow(message);
    expect(await processesOf(runs)).toEqual([]);
    expect(await readdir(runs)).toEqual([]);
  });

  it('aborts the start when its caller aborts, and kills processes that ignore SIGTERM', async () => {
    const runs = await createRuns();
    const assets = await createAssets({ etcd: 'trap "" TERM; echo deaf; while :; do sleep 0.1; done' });
    const caller = new AbortController();
    const start = startControlPlane({ assets, folder: runs, signal: caller.signal, stopTimeoutMs: 300 });
    const refused = expect(start).rejects.toThrow(
      /^etcd was not ready [^]*enough of it[^]*\/health does not answer/,
    );
    await until(async () => (await processesOf(runs)).length > 0);
    caller.abort(new Error('enough of it'));
    await refused;
    expect(await processesOf(runs)).toEqual([]);
  });

  it.each([
    ['does not exist', { etcd: undefined }, /The file .*\/etcd does not exist. Install /],
    [
      'does not exist',
      { 'kube-apiserver': undefined },
      /The file .*\/kube-apiserver does not exist. Install /,
    ],
  ])('reports a file that %s', async (_, scripts, message) => {
    await expect(startControlPlane({ assets: await createAssets(scripts) })).rejects.toThrow(message);
  });

  it('requires the variable that names the assets', () => {
    expect(assetsFromEnvironment({ KUBEBUILDER_ASSETS: '/opt/assets' })).toBe('/opt/assets');
    expect(() => assetsFromEnvironment({})).toThrow(/KUBEBUILDER_ASSETS is not set. Install /);
  });
});

describe('the command', () => {
  let program: string;
  beforeAll(async () => {
    program = join(folder, 'main.mjs');
    const require = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
    await build({
      entryPoints: [fileURLToPath(new URL('./main.ts', import.meta.url))],
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      banner: { js: require },
      logLevel: 'silent',
    });
  });

  /** Starts the command and waits until it serves. */
  async function startCommand(runs: string, ...flags: string[]): Promise<ChildProcess> {
    const kubeconfig = join(runs, 'kubeconfig');
    const child = spawn(process.execPath, [program, '--kubeconfig', kubeconfig, ...flags], {
      env: { TMPDIR: runs, KUBEBUILDER_ASSETS: await createAssets() },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(line.toString()).toMatch(
      /^envtest serves https:\/\/127\.0\.0\.1:\d+ \(Kubernetes v1\.33\.0, with controllers\)\n$/,
    );
    expect(await readFile(kubeconfig, 'utf8')).toContain('client-key-data');
    return child;
  }

  it.each<[string, string[], (child: ChildProcess) => unknown]>([
    ['SIGTERM', [], (child) => child.kill('SIGTERM')],
    ['its standard input ends', ['--until-stdin-ends'], (child) => child.stdin?.end()],
  ])('serves until %s, and leaves only the kubeconfig', async (_, flags, end) => {
    const runs = await createRuns();
    const child = await startCommand(runs, ...flags);
    end(child);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await processesOf(runs)).toEqual([]);
    expect(await readdir(runs)).toEqual(['kubeconfig']);
  });

  it('ends its control plane when it is killed', async () => {
    const runs = await createRuns();
    const child = await startCommand(runs);
    /* Three binaries with a guard each, and the command. */
    expect(await processesOf(runs)).toHaveLength(7);
    child.kill('SIGKILL');
    await until(async () => (await processesOf(runs)).length === 0);
  });

  it('names the missing variable', async () => {
    const child = spawn(process.execPath, [program], { env: {}, stdio: ['ignore', 'ignore', 'pipe'] });
    const [[text], [code]] = (await Promise.all([once(child.stderr, 'data'), once(child, 'exit')])) as [
      [Buffer],
      [number],
    ];
    expect(text.toString()).toMatch(/^The variable KUBEBUILDER_ASSETS is not set\./);
    expect(code).toBe(1);
  });
});
