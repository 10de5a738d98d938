/** Tasks of several tenants, taken in turns, so that one with many does not delay those of the others. */
export class FairQueue<T> {
  /** The tenant whose turn comes next is first. */
  readonly #waiting = new Map<string, T[]>();

  add(tenant: string, task: T): void {
    const tasks = this.#waiting.get(tenant);
    if (tasks === undefined) this.#waiting.set(tenant, [task]);
    else tasks.push(task);
  }

  /** Removes and returns the next task of the first tenant that is not `busy`; undefined: there is none. */
  take(isBusy: (tenant: string) => boolean): { tenant: string; task: T } | undefined {
    for (const [tenant, tasks] of this.#waiting) {
      const [task, ...others] = tasks;
      if (isBusy(tenant) || task === undefined) continue;
      this.#waiting.delete(tenant);
      if (others.length > 0) this.#waiting.set(tenant, others);
      return { tenant, task };
    }
    return undefined;
  }

  /** Removes and returns all tasks. */
  clear(): T[] {
    const tasks = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return tasks;
  }
}
