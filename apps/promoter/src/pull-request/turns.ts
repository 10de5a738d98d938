/** Lets tasks with the same key run one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `task` when those before it with the same key are done, however they ended. Returns what it gives. */
  async take<T>(key: string, task: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(task, task);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
