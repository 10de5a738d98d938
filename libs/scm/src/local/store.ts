import { TypedError, isTyped } from '@interlock/api';
import { sleep } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import type { Governor } from '../governor/governor.js';
import { whatOf, type Call } from '../http/call.js';
import type { ScmCaller } from '../metrics.js';
import type { GovernorLimits, ScmContext } from '../scm.js';
import type { LocalGit } from './git.js';
import { changeRefs, type RefChange } from './objects.js';

/** The limits of one repository; its writes are not limited. */
export const localLimits: GovernorLimits = {
  concurrency: 8,
  queueLimit: 1000,
  maxWaitMs: 10_000,
  writes: { burst: 10_000, perSecond: 10_000 },
};

/** Changes references; see {@link changeRefs}. */
export type Commit = (changes: readonly RefChange[]) => Promise<void>;

const readAttempts = 3;
const changeAttempts = 8;
const pauseMs = 50;

/** Texts of blobs by their id, which never change. */
type KnownBlobs = LRUCache<string, string>;

export function createKnownBlobs(): KnownBlobs {
  return new LRUCache({ maxSize: 16 * 1024 * 1024, sizeCalculation: (text) => text.length + 100 });
}

/** The state in one repository: governed, measured, and with failures that name the operation. */
export class LocalStore {
  readonly #governor: Governor;
  readonly #caller: ScmCaller;

  constructor(
    readonly git: LocalGit,
    readonly context: ScmContext,
    readonly known: KnownBlobs,
    governor: Governor,
    caller: ScmCaller,
  ) {
    this.#governor = governor;
    this.#caller = caller;
  }

  /** Runs a read-only task, again after a transient failure. */
  read<T>(call: Call, task: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
    return this.#governed(call, false, (signal) =>
      this.#repeated(readAttempts, ['Transient'], signal, () => this.#measured(call, () => task(signal))),
    );
  }

  /**
   * Runs a task that reads and then commits a change; it runs again when another process was first. A commit that may have
   * happened is not repeated.
   */
  change<T>(call: Call, task: (commit: Commit, signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
    return this.#governed(call, true, (signal) => {
      const commit: Commit = (changes) => this.#measured(call, () => changeRefs(this.git, changes, signal));
      return this.#repeated(changeAttempts, ['RefMoved', 'Locked'], signal, () => task(commit, signal));
    });
  }

  /** Records what users did; see {@link changeRefs}. It is not part of a call, so it is not measured. */
  settled(changes: readonly RefChange[], signal: AbortSignal | undefined): Promise<void> {
    return changeRefs(this.git, changes, signal);
  }

  async #governed<T>(
    call: Call,
    mutates: boolean,
    task: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    const signal = call.options?.signal;
    const priority = call.options?.priority ?? call.priority;
    try {
      return await this.#governor.run({ priority, mutates, signal }, () => task(signal));
    } catch (error) {
      if (!isTyped(error) || error.type === 'RateLimited') throw error;
      const { type, reason, message } = error;
      throw new TypedError(type, `${whatOf(call, this.git.fullName)}: ${message}`, { reason, cause: error });
    }
  }

  /** @param again types or reasons of failures after which the task runs again. */
  async #repeated<T>(
    attempts: number,
    again: readonly string[],
    signal: AbortSignal | undefined,
    task: () => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await task();
      } catch (error) {
        const passes = isTyped(error) && (again.includes(error.type) || again.includes(error.reason));
        if (!passes || attempt === attempts) throw error;
        await sleep(this.context.clock, this.context.random() * pauseMs * attempt, signal);
      }
    }
  }

  async #measured<T>({ api, operation }: Call, task: () => Promise<T>): Promise<T> {
    const { clock, metrics } = this.context;
    const started = clock.monotonic();
    const report = (code: string): void =>
      metrics.called(this.#caller, { api, operation }, code, (clock.monotonic() - started) / 1000);
    try {
      const result = await task();
      report('ok');
      return result;
    } catch (error) {
      report('error');
      throw error;
    }
  }
}
