import { Worker } from 'node:worker_threads';
import { messageOf } from '@interlock/api';
import { prefixOf, Problem, type OrProblem } from '@interlock/base';

export interface SandboxLimits {
  /** Time limit of one call, in ms. */
  timeMs: number;
  /** JavaScript heap of one worker, in MiB. */
  memoryMb: number;
}

/** Reasons of calls without a result. */
export const sandboxReasons = {
  /** The function threw, or its thread ended. */
  failed: 'CallFailed',
  stopping: 'Stopping',
  time: 'TimeLimitExceeded',
  memory: 'MemoryLimitExceeded',
} as const;

/** What a thread sends: once that it has loaded the module, and then the answer to each call. */
type Answer = 'loaded' | { value: unknown } | { error: string };

/** Time limit for loading the module in a thread, which depends on the machine only; in ms. */
const startMs = 30_000;
const maxErrorLength = 1_000;

/** Runs in the worker after the module, whose exports are in `sandboxed`. */
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
  parentPort.postMessage('loaded');
}`;

/** A thread with limits that runs one call at a time. It ends when a call exceeds a limit. */
export class SandboxWorker {
  readonly #worker: Worker;
  readonly #timeMs: number;
  #isLoaded = false;
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
    /* A call that fails at once does not listen until the module is loaded. */
    this.#worker.on('message', (answer: Answer) => (this.#isLoaded ||= answer === 'loaded'));
    this.#worker.on('exit', () => (this.#hasEnded = true));
    /* Without a listener the error would end the process; each call listens for the error that concerns it. */
    this.#worker.on('error', () => (this.#hasEnded = true));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Number of calls so far. */
  get calls(): number {
    return this.#calls;
  }

  call(name: string, args: readonly unknown[]): Promise<OrProblem<unknown>> {
    this.#calls += 1;
    const worker = this.#worker;
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (result: unknown) => {
        clearTimeout(timer);
        worker.off('message', onAnswer).off('error', onError).off('exit', onExit);
        resolve(result);
      };
      const fail = (reason: keyof typeof sandboxReasons, message: string) =>
        settle(new Problem(sandboxReasons[reason], message));
      const onAnswer = (answer: Answer) => {
        if (answer === 'loaded') expire(this.#timeMs);
        else if ('value' in answer) settle(answer.value);
        else fail('failed', answer.error);
      };
      const onError = (error: Error & { code?: string }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          fail('memory', 'it needs more memory than the limit allows');
        else fail('failed', prefixOf(error.message, maxErrorLength));
      };
      const onExit = () => fail('failed', 'its thread ended');
      const expire = (afterMs: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          fail('time', `it takes longer than ${afterMs / 1000} s`);
          void this.end();
        }, afterMs);
      };
      worker.on('message', onAnswer).on('error', onError).on('exit', onExit);
      expire(this.#isLoaded ? this.#timeMs : startMs);
      try {
        worker.postMessage({ name, args });
      } catch (error) {
        fail('failed', prefixOf(messageOf(error), maxErrorLength));
      }
    });
  }

  /** Ends the thread, even during a call. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#worker.terminate();
  }
}
