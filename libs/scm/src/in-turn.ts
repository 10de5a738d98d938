import { waitFor } from './abort.js';

/** Lets one piece of work at a time run for each key, in the order of asking. */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  /** @param signal ends the wait for the others. @returns what `work` returns, when all earlier work of that key is done. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = waitFor(before, signal).then(work);
    // Whoever does not wait any more does not let the next one pass those before.
    const end = Promise.allSettled([before, result]);
    this.#last.set(key, end);
    void end.then(() => {
      if (this.#last.get(key) === end) this.#last.delete(key);
    });
    return result;
  }
}
