import { fork, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onAbort } from '@interlock/base';

/** A method of a process, whose parameters and result are JSON. */
export type RemoteMethod = (parameters: never) => unknown;

export interface RemoteRequest {
  id: number;
  method: string;
  parameters: unknown;
}

export interface RemoteAnswer {
  id: number;
  result?: unknown;
  error?: string;
}

interface RemoteOptions {
  /** Folder for the script. */
  folder: string;
  name: string;
  /** A CommonJS script that calls `serveMethods`. */
  source: string;
  /** Arguments of the script. */
  args: readonly string[];
  /** Flags of Node.js in addition to `--expose-gc`. */
  flags?: readonly string[] | undefined;
  /** Environment variables in addition to the variables of this process. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Ends the process and its pending calls. */
  signal: AbortSignal;
}

interface Pending {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** A Node.js process of the benchmark that implements the methods `M`. It ends with this process. */
export class RemoteProcess<M extends Record<keyof M, RemoteMethod>> {
  readonly #pending = new Map<number, Pending>();
  #release: () => void = () => undefined;
  #id = 0;

  readonly #name: string;
  readonly #child: ChildProcess;

  private constructor(name: string, child: ChildProcess, signal: AbortSignal) {
    this.#name = name;
    this.#child = child;

    child.on('message', (answer) => this.#take(answer as RemoteAnswer));
    child.once('exit', (code, by) => this.#fail(new Error(`${name} has ended with ${by ?? code}`)));
    child.on('error', (error) => this.#fail(error));
    this.#release = onAbort(signal, () => this.close());
  }

  static async start<M extends Record<keyof M, RemoteMethod>>(
    options: RemoteOptions,
  ): Promise<RemoteProcess<M>> {
    const { folder, name, source, args, flags = [], env = {}, signal } = options;
    const file = join(folder, `${name}.cjs`);
    await writeFile(file, source);
    const child = fork(file, args, {
      execArgv: ['--expose-gc', ...flags],
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return new RemoteProcess<M>(name, child, signal);
  }

  /** @throws Error when the process did not start */
  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error(`${this.#name} has not started`);
    return pid;
  }

  /** Calls a method. @throws Error when it fails, when the process ends first, or after `timeoutMs` */
  async call<K extends keyof M & string>(
    method: K,
    parameters: Parameters<M[K]>[0],
    timeoutMs: number,
  ): Promise<Awaited<ReturnType<M[K]>>> {
    const id = ++this.#id;
    let timer: NodeJS.Timeout | undefined;
    const result = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      const late = new Error(`${this.#name} does not answer ${method} within ${timeoutMs / 1000} s`);
      timer = setTimeout(() => reject(late), timeoutMs);
      this.#child.send({ id, method, parameters } satisfies RemoteRequest, (error) => {
        if (error !== null) reject(error);
      });
    });
    try {
      return (await result) as Awaited<ReturnType<M[K]>>;
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
    else pending?.reject(new Error(`${this.#name}: ${error}`));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }
}
