import { TypedError } from '@interlock/api';
import { FairLimit } from './fair-limit.js';

type Task<T> = (signal: AbortSignal) => Promise<T>;

/**
 * A {@link FairLimit} in which long tasks do not keep the others waiting. A preemptible task that has run for a time is
 * stopped when another task needs its place. It is then repeated, not preemptible, at its turn among the stopped tasks:
 * they have at most half of the places, and one owner has one of these.
 */
export class PreemptiveLimit {
  readonly #places: FairLimit;
  readonly #repeated: FairLimit;
  readonly #preemptAfterMs: number;
  /** Tasks that wait for the first time. */
  readonly #waiting = new Set<{ owner: string }>();
  /** Stop the tasks that have run for the time, the oldest first. */
  readonly #long = new Set<AbortController>();
  /** Tasks that are stopped and have not ended yet. */
  #stopping = 0;

  /** @param preemptAfterMs milliseconds after which a preemptible task can be stopped */
  constructor(size: number, preemptAfterMs: number) {
    const half = Math.ceil(size / 2);
    this.#places = new FairLimit(size, half);
    this.#repeated = new FairLimit(half, 1);
    this.#preemptAfterMs = preemptAfterMs;
  }

  /** Runs a task to its end, and returns its result. Rejects with the signal's reason when it aborts while the task waits. */
  async run<T>(owner: string, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const turn = { owner };
    this.#waiting.add(turn);
    const begin = () => {
      this.#waiting.delete(turn);
      return task();
    };
    try {
      const result = this.#places.run(owner, begin, signal);
      this.#preempt();
      return await result;
    } finally {
      this.#waiting.delete(turn);
    }
  }

  /**
   * Does the same with a task that may be stopped and repeated.
   *
   * @param task ends when its signal aborts.
   */
  async runPreemptible<T>(owner: string, task: Task<T>, signal: AbortSignal): Promise<T> {
    const preemption = new AbortController();
    try {
      return await this.run(owner, () => this.#attempt(task, signal, preemption), signal);
    } catch (error) {
      if (!preemption.signal.aborted || signal.aborted) throw error;
    } finally {
      if (preemption.signal.aborted) {
        this.#stopping -= 1;
        this.#preempt();
      }
    }
    return this.#repeated.run(owner, () => this.#places.run(owner, () => task(signal), signal), signal);
  }

  async #attempt<T>(task: Task<T>, signal: AbortSignal, preemption: AbortController): Promise<T> {
    const timer = setTimeout(() => {
      this.#long.add(preemption);
      this.#preempt();
    }, this.#preemptAfterMs);
    try {
      return await task(AbortSignal.any([signal, preemption.signal]));
    } finally {
      clearTimeout(timer);
      this.#long.delete(preemption);
    }
  }

  /** Stops a long task for each task that waits only because all places are taken. */
  #preempt(): void {
    if (this.#long.size === 0) return;
    let missing = this.#missing() - this.#stopping;
    for (const oldest of this.#long) {
      if (missing-- <= 0) return;
      this.#long.delete(oldest);
      this.#stopping += 1;
      oldest.abort(new TypedError('Transient', 'another task needs the place of the process'));
    }
  }

  #missing(): number {
    const waiting = new Map<string, number>();
    for (const { owner } of this.#waiting) waiting.set(owner, (waiting.get(owner) ?? 0) + 1);
    return [...waiting].reduce((sum, [owner, count]) => sum + Math.min(count, this.#places.roomOf(owner)), 0);
  }
}
