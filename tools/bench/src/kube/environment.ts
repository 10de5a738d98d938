import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchmarkContext } from '../benchmark.js';
import type { InformerMethods } from './informer.js';
import { source as informerSource } from './informer.worker.js';
import { RemoteProcess, type RemoteMethod } from '../remote.js';
import { ServerProcess, type ServerOptions } from './server.js';
import type { WatcherMethods } from './watchers.js';
import { source as watcherSource } from './watchers.worker.js';
import type { WriterMethods } from './writer.js';
import { source as writerSource } from './writer.worker.js';

const createTimeoutMs = 120_000;

/** The embedded API server with the objects of the benchmark, and the processes that use it, which end with it. */
export class Environment {
  readonly #processes: { close(): void }[] = [];

  readonly #signal: AbortSignal;

  private constructor(
    readonly folder: string,
    signal: AbortSignal,
    /** Replaced when the server is restarted. */
    public server: ServerProcess,
  ) {
    this.#signal = signal;
  }

  /** Runs `measure` in a new environment. */
  static async use<R>(
    { signal }: BenchmarkContext,
    options: Pick<ServerOptions, 'inspect'> & { keepsState?: boolean | undefined },
    measure: (environment: Environment) => Promise<R>,
  ): Promise<R> {
    const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
    let environment: Environment | undefined;
    try {
      const dataDir = options.keepsState === true ? join(folder, 'data') : undefined;
      const server = await ServerProcess.start({ folder, dataDir, inspect: options.inspect });
      environment = new Environment(folder, signal, server);
      return await measure(environment);
    } finally {
      await environment?.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Starts the writer process, and makes it create the objects. */
  async startWriter(): Promise<RemoteProcess<WriterMethods>> {
    const writer = await this.#start<WriterMethods>('writer', writerSource);
    await writer.call('create', {}, createTimeoutMs);
    return writer;
  }

  startWatchers(): Promise<RemoteProcess<WatcherMethods>> {
    return this.#start<WatcherMethods>('watchers', watcherSource);
  }

  startInformer(): Promise<RemoteProcess<InformerMethods>> {
    return this.#start<InformerMethods>('informer', informerSource);
  }

  /** Kills the server with SIGKILL, and starts it again with the same folder and port. */
  async restartServer(): Promise<void> {
    const { port } = this.server.url;
    await this.server.kill();
    this.server = await ServerProcess.start({
      folder: this.folder,
      dataDir: join(this.folder, 'data'),
      port,
    });
  }

  async close(): Promise<void> {
    for (const process of this.#processes) process.close();
    await this.server.stop();
  }

  async #start<M extends Record<keyof M, RemoteMethod>>(
    name: string,
    source: string,
  ): Promise<RemoteProcess<M>> {
    const { folder } = this;
    const signal = this.#signal;
    const options = { folder, name, source, args: [this.server.kubeConfig], signal };
    const process = await RemoteProcess.start<M>(options);
    this.#processes.push(process);
    return process;
  }
}
