import { waitFor } from './abort.js';

/** Lets one task at a time run for each key, in the order of the calls. Tasks of other keys run meanwhile. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs `task` when all earlier ones of that key have ended, whether they succeeded or not.
   *
   * @param signal ends the wait, not a task that runs.
   * @returns what `task` returns; rejects with the signal's reason when it aborts during the wait.
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = waitFor(before, signal).then(task);
    /* A task that gives up its wait does not let the next one overtake those before. */
    const end = Promise.allSettled([before, result]);
    this.#last.set(key, end);
    void end.then(() => {
      if (this.#last.get(key) === end) this.#last.delete(key);
    });
    return result;
  }
}
