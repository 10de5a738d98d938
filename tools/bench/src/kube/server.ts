import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { timeLimit } from '@interlock/base';
import { Inspector, type Memory } from '../inspector.js';

/* Both src/kube/ and dist/ are in tools/bench. */
const bundle = fileURLToPath(new URL('../../devcluster/dist/main.mjs', import.meta.url));
const startTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;

export interface ServerOptions {
  /** Folder for its kubeconfig and its log. */
  folder: string;
  /** Folder for its state; if absent, the state is in memory. */
  dataDir?: string | undefined;
  /** Default: a free port. */
  port?: string | undefined;
  /** Enables {@link ServerProcess.memory} and {@link ServerProcess.cpuMs}. */
  inspect?: boolean | undefined;
}

/** The bundle of the embedded API server as a process, started like `devcluster:serve`, without nodes. */
export class ServerProcess {
  readonly #kill = (): void => void this.#child.kill('SIGKILL');

  readonly #child: ChildProcess;
  readonly #inspector: Inspector | undefined;

  private constructor(
    readonly kubeConfig: string,
    readonly url: URL,
    child: ChildProcess,
    inspector: Inspector | undefined,
  ) {
    this.#child = child;
    this.#inspector = inspector;

    process.once('exit', this.#kill);
  }

  /** Starts the server and waits until it serves. @throws Error after 30 s */
  static async start(options: ServerOptions): Promise<ServerProcess> {
    const { folder, dataDir, port = '0', inspect = false } = options;
    const kubeConfig = join(folder, 'kubeconfig');
    const logFile = join(folder, 'server.log');
    const log = await open(logFile, 'w');
    const child = spawn(
      process.execPath,
      [
        ...(inspect ? ['--inspect=127.0.0.1:0'] : []),
        bundle,
        ...['--nodes', '0', '--port', port, '--kubeconfig', kubeConfig],
        ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
      ],
      { stdio: ['ignore', 'pipe', log.fd], env: { PATH: process.env['PATH'] ?? '' } },
    );
    await log.close();
    try {
      const url = await servedUrl(child);
      const inspector = inspect ? await Inspector.connect(logFile) : undefined;
      return new ServerProcess(kubeConfig, url, child, inspector);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Returns the memory usage of the process after a garbage collection, in bytes. */
  async memory(): Promise<Memory> {
    return this.#inspected.memory();
  }

  /** Returns the CPU time of the process so far, in milliseconds. */
  async cpuMs(): Promise<number> {
    return (
      Number(await this.#inspected.evaluate('process.cpuUsage().user + process.cpuUsage().system')) / 1000
    );
  }

  /** Returns the current and the maximum resident memory of the process, in bytes. */
  async resident(): Promise<{ now: number; most: number }> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    const bytes = (field: string) =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
    return { now: bytes('VmRSS'), most: bytes('VmHWM') };
  }

  /** Kills the process with SIGKILL. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  get #inspected(): Inspector {
    if (this.#inspector === undefined) throw new Error('the server was started without an inspector');
    return this.#inspector;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    process.off('exit', this.#kill);
    this.#inspector?.close();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    const timer = setTimeout(this.#kill, stopTimeoutMs);
    this.#child.kill(signal);
    await exited;
    clearTimeout(timer);
  }
}

/** Returns the address in the output of the server. */
async function servedUrl(child: ChildProcess): Promise<URL> {
  if (child.stdout === null) throw new Error('the output of the server is not read');
  const lines = createInterface({ input: child.stdout });
  try {
    const first = once(lines, 'line', { signal: timeLimit(startTimeoutMs) });
    const [line] = (await Promise.race([first, once(child, 'exit').then(() => ['it has ended'])])) as [
      string,
    ];
    const url = /https:\/\/\S+/.exec(line)?.[0];
    if (url === undefined) throw new Error(`the API server does not start: ${line}`);
    return new URL(url);
  } finally {
    lines.removeAllListeners('line');
    child.stdout.resume();
  }
}
