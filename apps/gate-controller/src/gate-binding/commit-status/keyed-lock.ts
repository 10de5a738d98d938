/** Runs one task after another for each key, in the order in which they come. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** @returns what the task gives, when those before it have ended, however they did. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(task, task);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
