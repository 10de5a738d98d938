import { waitFor } from './abort.js';

/** Runs one task at a time for each key, in the order of the calls. Tasks of other keys run meanwhile. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs `task` once all earlier tasks of that key have ended, successfully or not. Returns the result of `task`, or
   * rejects with the signal's reason if it aborts during the wait.
   *
   * @param signal ends the wait, but not a running task
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = waitFor(before, signal).then(task);
    /* A task whose wait was aborted must not let the next task overtake earlier ones. */
    const end = Promise.allSettled([before, result]);
    this.#last.set(key, end);
    void end.then(() => {
      if (this.#last.get(key) === end) this.#last.delete(key);
    });
    return result;
  }
}
