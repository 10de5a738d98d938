/**
 * Queues items in the order of arrival for each owner. Owners take turns, so that an owner with many items does not
 * delay the others.
 */
export class FairQueue<T> {
  /** Items by owner. The owner whose turn comes next is first. */
  readonly #waiting = new Map<string, T[]>();

  /** Returns whether an item waits whose owner `matches`. */
  hasOwner(matches: (owner: string) => boolean): boolean {
    return [...this.#waiting.keys()].some(matches);
  }

  add(owner: string, item: T): void {
    const items = this.#waiting.get(owner);
    if (items === undefined) this.#waiting.set(owner, [item]);
    else items.push(item);
  }

  /** Removes an item that no longer waits. */
  remove(owner: string, item: T): void {
    const rest = (this.#waiting.get(owner) ?? []).filter((one) => one !== item);
    if (rest.length > 0) this.#waiting.set(owner, rest);
    else this.#waiting.delete(owner);
  }

  /**
   * Removes and returns the next item of the first owner for which `hasRoom` is true, together with the owner;
   * undefined if there is none.
   */
  take(hasRoom: (owner: string) => boolean = () => true): { owner: string; item: T } | undefined {
    for (const [owner, items] of this.#waiting) {
      if (!hasRoom(owner)) continue;
      const item = items.shift() as T;
      this.#waiting.delete(owner);
      if (items.length > 0) this.#waiting.set(owner, items);
      return { owner, item };
    }
    return undefined;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const items = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return items;
  }
}
