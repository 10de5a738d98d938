import { messageOf } from '@interlock/api';
import { FairQueue, isProblem, Problem, type OrProblem } from '@interlock/base';
import { sandboxReasons, SandboxWorker, type SandboxLimits } from './worker.js';

interface SandboxOptions extends SandboxLimits {
  /** Maximum number of threads. */
  workers: number;
}

interface Task {
  name: string;
  args: readonly unknown[];
  resolve: (result: unknown) => void;
}

/** The functions that a module exports. */
type FunctionsOf<M> = {
  [K in keyof M as M[K] extends (...args: never) => unknown ? K : never]: M[K] extends (
    ...args: never
  ) => unknown
    ? M[K]
    : never;
};

const stopping = new Problem(sandboxReasons.stopping, 'the process is stopping');

/** Returns whether a call has no result because it exceeded a limit. */
export function isLimit({ reason }: Problem): boolean {
  return reason === sandboxReasons.time || reason === sandboxReasons.memory;
}

/** Idle threads end after this time, in ms, and release their memory. */
const idleMs = 30_000;
/** Limits the data that calls can leave behind in a thread. */
const maxCalls = 200;

/**
 * Calls pure functions of a module in threads with limits of time and memory, so that untrusted input can neither block
 * the event loop nor exhaust the memory of the process. It isolates resources only; the code itself is trusted.
 *
 * @example
 * import type * as calendarModule from './calendar.worker.js';
 * import { source } from './calendar.worker.js';
 * const sandbox = new Sandbox<typeof calendarModule>(source, { workers: 2, timeMs: 1_000, memoryMb: 64 });
 * await sandbox.call('team-a', 'read', [text]);
 */
export class Sandbox<M> {
  readonly #source: string;
  readonly #options: SandboxOptions;
  readonly #idle: SandboxWorker[] = [];
  readonly #busy = new Map<SandboxWorker, string>();
  readonly #queue = new FairQueue<Task>();
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * @param source source of the module, which the bundler makes its only export: see `tools/bundle/worker-source.mjs`
   */
  constructor(source: string, options: SandboxOptions) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * Calls a function. Tenants take turns; if there are several threads, one tenant can use all but one.
   *
   * @param args copied to the thread, as the result is copied back (structured clone)
   */
  call<K extends keyof FunctionsOf<M> & string>(
    tenant: string,
    name: K,
    args: Parameters<FunctionsOf<M>[K]>,
  ): Promise<OrProblem<ReturnType<FunctionsOf<M>[K]>>> {
    if (this.#isClosed) return Promise.resolve(stopping);
    return new Promise((resolve) => {
      const task: Task = { name, args, resolve: resolve as Task['resolve'] };
      this.#queue.add(tenant, task);
      this.#next();
    });
  }

  /** Ends all threads. Running calls return an error. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    for (const task of this.#queue.clear()) task.resolve(stopping);
    await Promise.all([...this.#idle, ...this.#busy.keys()].map((worker) => worker.end()));
  }

  #next(): void {
    const { workers } = this.#options;
    const perTenant = Math.max(1, workers - 1);
    const running = (tenant: string) => [...this.#busy.values()].filter((one) => one === tenant).length;
    while (this.#busy.size < workers) {
      const next = this.#queue.take((tenant) => running(tenant) < perTenant);
      if (next === undefined) return;
      void this.#run(next.owner, next.item);
    }
  }

  async #run(tenant: string, task: Task): Promise<void> {
    let result = await this.#callOnce(tenant, task, this.#idle.pop());
    /* Data of earlier calls in the thread may have caused the failure, so the call is repeated in a new thread. */
    if (isProblem(result) && result.reason === sandboxReasons.memory)
      result = await this.#callOnce(tenant, task, undefined);
    task.resolve(result);
    if (!this.#isClosed) this.#next();
  }

  async #callOnce(
    tenant: string,
    { name, args }: Task,
    idle: SandboxWorker | undefined,
  ): Promise<OrProblem<unknown>> {
    const worker = idle?.hasEnded === false ? idle : this.#start();
    if (isProblem(worker)) return worker;
    this.#busy.set(worker, tenant);
    const result = await worker.call(name, args);
    this.#busy.delete(worker);
    if (this.#isClosed || worker.calls >= maxCalls) void worker.end();
    else if (!worker.hasEnded) this.#rest(worker);
    return result;
  }

  /** Returns a new thread, or a problem if the machine has no room for it: only the call fails then, not the process. */
  #start(): OrProblem<SandboxWorker> {
    try {
      return new SandboxWorker(this.#source, this.#options);
    } catch (error) {
      return new Problem(sandboxReasons.failed, messageOf(error));
    }
  }

  #rest(worker: SandboxWorker): void {
    this.#idle.push(worker);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const one of this.#idle.splice(0)) void one.end();
    }, idleMs).unref();
  }
}
