/** Lets one piece of work at a time run for each key, in the order of asking. */
export class Lock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** @returns what `work` returns, when all earlier work of that key is done. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.catch(() => undefined);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return result;
  }
}
