import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Timeout of one measurement in milliseconds. */
const timeout = 120_000;

/* Paths are relative to the bundle of this tool. */
const sources = fileURLToPath(new URL('../src/proxy/load-generator/', import.meta.url));

/** The port on which a proxy of this machine serves TCP, or a port and whether it uses TLS; 0 for no proxy. */
type ProxyAddress = number | { readonly port: number; readonly isTls: boolean };

/** The outcomes of requests that have to be denied. */
interface OfferedRequests {
  offered: number;
  /** Answered with 403. */
  denied: number;
  /** Answered with another status, or reset. */
  refused: number;
  /** Not answered within two seconds. */
  unanswered: number;
}

interface Program {
  readonly folder: string;
  readonly path: string;
  readonly hasTls: boolean;
}

/**
 * The clients and targets of the tunnels: a program in C, because a program in JavaScript would use more CPU than the
 * proxies.
 */
export class Load {
  readonly #program: string;
  readonly #folder: string;
  readonly #sink: ChildProcess;
  /** Port of the targets. */
  readonly sinkPort: number;
  /** Whether the clients can use TLS, which needs the headers of OpenSSL. */
  readonly hasTls: boolean;

  private constructor(program: Program, sink: ChildProcess, sinkPort: number) {
    this.#folder = program.folder;
    this.#program = program.path;
    this.hasTls = program.hasTls;
    this.#sink = sink;
    this.sinkPort = sinkPort;
  }

  /** Compiles the program and starts the targets. @throws an Error when there is no C compiler */
  static async start(): Promise<Load> {
    const program = await compile();
    const sink = spawn(program.path, ['sink'], { stdio: ['pipe', 'pipe', 'inherit'] });
    return new Load(program, sink, Number(await firstLine(sink)));
  }

  async stop(): Promise<void> {
    this.#sink.kill('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Opens tunnels, each for a round trip of 1 KiB, 32 at a time. Returns the number of tunnels per second. @param proxy 0 for none */
  async tunnelsPerSecond(proxy: ProxyAddress, seconds: number, clients = 32): Promise<number> {
    const [count = 0, took = 1] = await this.#run('tunnels', proxy, clients, seconds);
    return count / took;
  }

  /** Requests tunnels that are not allowed, 32 at a time. Returns the number of responses per second. */
  async deniedPerSecond(proxy: ProxyAddress, seconds: number): Promise<number> {
    const [count = 0, took = 1] = await this.#run('denied', proxy, 32, seconds);
    return count / took;
  }

  /** Requests tunnels that are not allowed at a fixed rate, however many are answered. */
  async offerDenied(proxy: ProxyAddress, perSecond: number, seconds: number): Promise<OfferedRequests> {
    const [offered = 0, denied = 0, refused = 0, unanswered = 0] = await this.#run(
      ...(['offered', proxy, perSecond, seconds] as const),
    );
    return { offered, denied, refused, unanswered };
  }

  /** Transfers bytes over four tunnels. Returns GiB per second. */
  async gibibytesPerSecond(
    proxy: ProxyAddress,
    mebibytes: number,
    direction: 'up' | 'down',
  ): Promise<number> {
    const [seconds = 1] = await this.#run('bulk', proxy, 4, mebibytes, direction);
    return mebibytes / 1024 / seconds;
  }

  /** Measures round trips of 64 bytes over one tunnel, in microseconds. */
  async echo(proxy: ProxyAddress, count: number): Promise<{ p50: number; p99: number }> {
    const [p50 = 0, p99 = 0] = await this.#run('echo', proxy, count);
    return { p50, p99 };
  }

  /** Holds tunnels open while a function runs. */
  async whileIdle(proxy: ProxyAddress, count: number, work: () => void): Promise<void> {
    const args = this.#arguments('idle', proxy, [count]);
    const child = spawn(this.#program, args, { stdio: ['pipe', 'pipe', 'inherit'], timeout });
    const line = await firstLine(child);
    if (line !== 'ready') throw new Error('the tunnels were not opened');
    work();
    child.stdin.end();
    await finish(child);
  }

  #arguments(mode: string, proxy: ProxyAddress, args: readonly (string | number)[]): string[] {
    const { port, isTls } = typeof proxy === 'number' ? { port: proxy, isTls: false } : proxy;
    return [...(isTls ? ['tls'] : []), ...[mode, port, this.sinkPort, ...args].map(String)];
  }

  async #run(mode: string, proxy: ProxyAddress, ...args: (string | number)[]): Promise<number[]> {
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
    const child = spawn(this.#program, this.#arguments(mode, proxy, args), { stdio, timeout });
    const [line] = await Promise.all([firstLine(child), finish(child)]);
    return line.split(' ').map(Number);
  }
}

/** Compiles the program, without TLS if the headers of OpenSSL are missing. @throws an Error when there is no C compiler */
async function compile(): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
  const path = join(folder, 'load');
  const names = await readdir(sources);
  const files = names.filter((name) => name.endsWith('.c')).map((name) => join(sources, name));
  const common = ['-O2', '-pthread', '-o', path, ...files];
  const tls = spawn('cc', ['-DWITH_TLS', ...common, '-lssl', '-lcrypto'], { stdio: 'ignore' });
  const hasTls = await finish(tls).then(
    () => true,
    () => false,
  );
  if (!hasTls) await finish(spawn('cc', common, { stdio: ['ignore', 'inherit', 'inherit'] }));
  return { folder, path, hasTls };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the output is not read');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the program ended without a result');
}

async function finish(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}`);
}
