import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createCertificate } from '../certificate.js';
import type { CpuQuota } from './cpu-quota.js';

/* Paths are relative to the bundle of this tool. */
const bundle = fileURLToPath(new URL('../../../apps/egress-proxy/dist/main.mjs', import.meta.url));
const startMs = 30_000;

/** A running proxy. */
export interface RunningProxy {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Whether clients connect over TLS. */
  readonly isTls: boolean;
  /** Milliseconds from the start of the proxy until it accepted a connection. */
  readonly startedIn: number;
  stop(): Promise<void>;
}

interface ProxyCommand {
  program: string;
  args: string[];
}

/** Returns the command of a proxy on a port. It allows tunnels to the port of the sink and logs each of them to a file. */
type Definition = (folder: string, port: number, sinkPort: number) => Promise<ProxyCommand>;

/** The Node.js flags of the image, and the heap size that Node.js chooses in a container of 64 MiB. */
const nodeFlags = [
  ...['--max-semi-space-size=1', '--no-minor-gc-task', '--no-parallel-scavenge'],
  '--max-old-space-size=32',
];

const interlock =
  (relay: string, isTls = false): Definition =>
  async (folder, port, sinkPort) => {
    const tls = isTls ? await writeCertificate(folder) : undefined;
    return {
      program: process.execPath,
      args: [
        ...nodeFlags,
        bundle,
        `--relay=${relay}`,
        ...(tls === undefined ? [] : [`--tls-cert-file=${tls.cert}`, `--tls-key-file=${tls.key}`]),
        `--bind-address=127.0.0.1:${port}`,
        '--health-probe-bind-address=0',
        '--allowed-cidrs=127.0.0.1/32',
        `--allowed-ports=${sinkPort}`,
        '--max-tunnels=12000',
        '--max-tunnels-per-client=12000',
      ],
    };
  };

const squid: Definition = (folder, port, sinkPort) =>
  squidAt(`http_port 127.0.0.1:${port}`, folder, port, sinkPort);

const squidWithTls: Definition = async (folder, port, sinkPort) => {
  const { cert, key } = await writeCertificate(folder);
  return squidAt(`https_port 127.0.0.1:${port} tls-cert=${cert} tls-key=${key}`, folder, port, sinkPort);
};

async function squidAt(
  listener: string,
  folder: string,
  port: number,
  sinkPort: number,
): Promise<ProxyCommand> {
  const file = join(folder, 'squid.conf');
  const lines = [
    listener,
    `acl sink port ${sinkPort}`,
    'http_access allow CONNECT sink',
    'http_access deny all',
    `access_log stdio:${folder}/access.log`,
    `cache_log ${folder}/cache.log`,
    'pid_filename none',
    'cache deny all',
    'cache_mem 0 MB',
    'memory_pools off',
    'client_db off',
    'max_filedescriptors 32768',
    'shutdown_lifetime 0 seconds',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return { program: 'squid', args: ['-N', '-n', `bench${port}`, '-f', file] };
}

const tinyproxy: Definition = async (folder, port, sinkPort) => {
  const file = join(folder, 'tinyproxy.conf');
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 600',
    'MaxClients 12000',
    `ConnectPort ${sinkPort}`,
    `LogFile "${folder}/access.log"`,
    'LogLevel Connect',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return { program: 'tinyproxy', args: ['-d', '-c', file] };
};

const definitions: ReadonlyMap<string, Definition> = new Map([
  ['handles', interlock('handles')],
  ['sockets', interlock('sockets')],
  ['squid', squid],
  ['tinyproxy', tinyproxy],
]);

/** The proxies to which clients connect over TLS. */
const tlsDefinitions: ReadonlyMap<string, Definition> = new Map([
  ['handles', interlock('handles', true)],
  ['sockets', interlock('sockets', true)],
  ['squid', squidWithTls],
]);

/** Returns the names of the available proxies, the engines of the egress proxy first. */
export function proxiesHere(isTls = false): string[] {
  const names = [...(isTls ? tlsDefinitions : definitions).keys()];
  return names.filter((name) => {
    if (name === 'handles' || name === 'sockets') return true;
    return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  });
}

interface StartOptions {
  /** The share of a CPU; undefined for no limit. */
  quota?: CpuQuota;
  isTls?: boolean;
}

/** Starts a proxy. @throws an Error when it does not start */
export async function startProxyNamed(
  name: string,
  sinkPort: number,
  { quota, isTls = false }: StartOptions = {},
): Promise<RunningProxy> {
  const definition = (isTls ? tlsDefinitions : definitions).get(name);
  if (definition === undefined) throw new Error(`there is no proxy ${name}`);
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
  /* A proxy that root starts writes its log as another user. */
  await chmod(folder, 0o777);
  const port = await freePort();
  const plain = await definition(folder, port, sinkPort);
  const { program, args } = quota?.commandOf(plain.program, plain.args) ?? plain;
  const started = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const closed = once(child, 'close');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} cannot be started`);
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
    await rm(folder, { recursive: true, force: true });
  };
  while (!(await accepts(port))) {
    const isOver = child.exitCode !== null || performance.now() - started > startMs;
    if (isOver) {
      await stop();
      throw new Error(`${name} does not accept connections`);
    }
    await setTimeout(10);
  }
  return { name, port, pid, isTls, startedIn: performance.now() - started, stop };
}

/** Writes a certificate and its key. Returns the paths of the files. */
async function writeCertificate(folder: string): Promise<{ cert: string; key: string }> {
  const { cert, key } = await createCertificate();
  const paths = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  await writeFile(paths.cert, cert);
  await writeFile(paths.key, key);
  return paths;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
