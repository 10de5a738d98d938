import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Timeout of one measurement in milliseconds. */
const timeout = 120_000;

/* Paths are relative to the bundle of this tool. */
const source = fileURLToPath(new URL('../src/proxy/load.c', import.meta.url));

/** The clients and targets of the tunnels: a program in C, because one in JavaScript would use more CPU than the proxies. */
export class Load {
  readonly #program: string;
  readonly #folder: string;
  readonly #sink: ChildProcess;
  /** Port of the targets. */
  readonly sinkPort: number;

  private constructor(folder: string, program: string, sink: ChildProcess, sinkPort: number) {
    this.#folder = folder;
    this.#program = program;
    this.#sink = sink;
    this.sinkPort = sinkPort;
  }

  /** Compiles the program and starts the targets. @throws an Error when there is no C compiler */
  static async start(): Promise<Load> {
    const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
    const program = join(folder, 'load');
    await finish(
      spawn('cc', ['-O2', '-pthread', '-o', program, source], { stdio: ['ignore', 'inherit', 'inherit'] }),
    );
    const sink = spawn(program, ['sink'], { stdio: ['pipe', 'pipe', 'inherit'] });
    return new Load(folder, program, sink, Number(await firstLine(sink)));
  }

  async stop(): Promise<void> {
    this.#sink.kill('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Opens tunnels, each for a round trip of 1 KiB, 32 at a time. Returns the number of tunnels per second. @param proxyPort 0 for none */
  async tunnelsPerSecond(proxyPort: number, seconds: number, clients = 32): Promise<number> {
    const [count = 0, took = 1] = await this.#run('tunnels', proxyPort, this.sinkPort, clients, seconds);
    return count / took;
  }

  /** Requests tunnels that are not allowed. @returns requests per second */
  async deniedPerSecond(proxyPort: number, seconds: number): Promise<number> {
    const [count = 0, took = 1] = await this.#run('denied', proxyPort, this.sinkPort, 32, seconds);
    return count / took;
  }

  /** Transfers bytes over four tunnels. @returns GiB per second */
  async gibibytesPerSecond(proxyPort: number, mebibytes: number, direction: 'up' | 'down'): Promise<number> {
    const [seconds = 1] = await this.#run('bulk', proxyPort, this.sinkPort, 4, mebibytes, direction);
    return mebibytes / 1024 / seconds;
  }

  /** Measures round trips of 64 bytes over one tunnel. @returns microseconds */
  async echo(proxyPort: number, count: number): Promise<{ p50: number; p99: number }> {
    const [p50 = 0, p99 = 0] = await this.#run('echo', proxyPort, this.sinkPort, count);
    return { p50, p99 };
  }

  /** Holds tunnels open while a function runs. */
  async whileIdle(proxyPort: number, count: number, work: () => void): Promise<void> {
    const args = ['idle', proxyPort, this.sinkPort, count].map(String);
    const child = spawn(this.#program, args, { stdio: ['pipe', 'pipe', 'inherit'], timeout });
    const line = await firstLine(child);
    if (line !== 'ready') throw new Error('the tunnels were not opened');
    work();
    child.stdin.end();
    await finish(child);
  }

  async #run(...args: (string | number)[]): Promise<number[]> {
    const child = spawn(this.#program, args.map(String), { stdio: ['ignore', 'pipe', 'inherit'], timeout });
    const [line] = await Promise.all([firstLine(child), finish(child)]);
    return line.split(' ').map(Number);
  }
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
