import { Worker } from 'node:worker_threads';
import { prefixOf } from '@interlock/base';

export interface SandboxLimits {
  /** How long one call may take, in ms. */
  timeMs: number;
  /** JavaScript heap of one worker, in MiB. */
  memoryMb: number;
}

/** The result of a call, or why there is none. `limit` names the limit that the call exceeded. */
export type SandboxResult<T> = { value: T } | { error: string; limit?: 'time' | 'memory' | undefined };

/** A thread has to load its module within this time, which depends on the machine only; ms. */
const startMs = 30_000;
const maxErrorLength = 1_000;

/** Runs in the worker, after the module, whose exports are in `sandboxed`. */
const harness = `
;{
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ name, args }) => {
    try {
      parentPort.postMessage({ value: sandboxed[name](...args) });
    } catch (error) {
      parentPort.postMessage({ error: String(error?.message ?? error).slice(0, ${maxErrorLength}) });
    }
  });
}`;

/** A thread with limits that runs one call at a time. After a call that exceeds a limit, it has ended. */
export class SandboxWorker {
  readonly #worker: Worker;
  readonly #timeMs: number;
  #isOnline = false;
  #hasEnded = false;
  #calls = 0;

  constructor(source: string, { timeMs, memoryMb }: SandboxLimits) {
    this.#timeMs = timeMs;
    this.#worker = new Worker(source + harness, {
      eval: true,
      env: {},
      stdin: false,
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMb,
        maxYoungGenerationSizeMb: Math.max(1, Math.floor(memoryMb / 4)),
        stackSizeMb: 1,
      },
    });
    this.#worker.unref();
    this.#worker.on('online', () => (this.#isOnline = true));
    this.#worker.on('exit', () => (this.#hasEnded = true));
    /* Each call reads the error that concerns it. */
    this.#worker.on('error', () => (this.#hasEnded = true));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** How many calls it has taken. */
  get calls(): number {
    return this.#calls;
  }

  call(name: string, args: readonly unknown[]): Promise<SandboxResult<unknown>> {
    this.#calls += 1;
    const worker = this.#worker;
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (result: SandboxResult<unknown>) => {
        clearTimeout(timer);
        worker.off('message', settle).off('error', onError).off('exit', onExit).off('online', onOnline);
        resolve(result);
      };
      const onError = (error: Error & { code?: string }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          settle({ error: 'it needs more memory than is allowed', limit: 'memory' });
        else settle({ error: prefixOf(error.message, maxErrorLength) });
      };
      const onExit = () => settle({ error: 'its thread ended' });
      const expire = (afterMs: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          settle({ error: `it takes longer than ${afterMs / 1000} s`, limit: 'time' });
          void this.end();
        }, afterMs);
      };
      const onOnline = () => expire(this.#timeMs);
      worker.on('message', settle).on('error', onError).on('exit', onExit).on('online', onOnline);
      expire(this.#isOnline ? this.#timeMs : startMs);
      worker.postMessage({ name, args });
    });
  }

  /** Ends the thread, also in the middle of a call. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#worker.terminate();
  }
}
