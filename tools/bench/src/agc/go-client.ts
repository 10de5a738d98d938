import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onAbort } from '@interlock/base';
import type { RemoteAnswer, RemoteRequest } from '../remote.js';
import type { ClientMethods, ClientProcess } from './client-methods.js';

/* Paths are relative to the bundle of this tool. */
const program = fileURLToPath(new URL('../src/agc/polls.go', import.meta.url));
const buildTimeoutMs = 300_000;

/** Returns whether this machine has a Go toolchain. */
export function hasGo(): boolean {
  return spawnSync('go', ['version']).status === 0;
}

/** The long polls of a client in Go, as a process. Each request and each answer is a line of JSON. */
export class GoClient implements ClientProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  readonly #release: () => void;
  #id = 0;

  private constructor(child: ChildProcess, signal: AbortSignal) {
    this.#child = child;
    this.#release = onAbort(signal, () => this.close());
    if (child.stdout === null) throw new Error('the output of the client in Go is not read');
    createInterface({ input: child.stdout }).on('line', (line) =>
      this.#take(JSON.parse(line) as RemoteAnswer),
    );
    child.once('close', (code) => this.#fail(new Error(`the client in Go has ended with ${code}`)));
  }

  /** Compiles and starts the client. @throws Error when that fails */
  static async start(folder: string, signal: AbortSignal): Promise<GoClient> {
    const binary = join(folder, 'polls');
    const build = spawn('go', ['build', '-o', binary, program], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: buildTimeoutMs,
      env: { ...process.env, GO111MODULE: 'off' },
    });
    const [code] = (await once(build, 'close')) as [number | null];
    if (code !== 0) throw new Error(`go build ended with ${code}`);
    return new GoClient(spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] }), signal);
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the client in Go has not started');
    return pid;
  }

  async call<K extends keyof ClientMethods>(
    method: K,
    parameters: Parameters<ClientMethods[K]>[0],
    timeoutMs: number,
  ): Promise<Awaited<ReturnType<ClientMethods[K]>>> {
    const id = ++this.#id;
    let timer: NodeJS.Timeout | undefined;
    const result = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      timer = setTimeout(() => reject(new Error(`the client in Go does not answer ${method}`)), timeoutMs);
      this.#child.stdin?.write(`${JSON.stringify({ id, method, parameters } satisfies RemoteRequest)}\n`);
    });
    try {
      return (await result) as Awaited<ReturnType<ClientMethods[K]>>;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  close(): void {
    this.#release();
    this.#child.kill('SIGKILL');
  }

  #take({ id, result, error }: RemoteAnswer): void {
    const pending = this.#pending.get(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(`the client in Go: ${error}`));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }
}
