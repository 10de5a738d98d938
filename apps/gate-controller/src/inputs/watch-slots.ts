/** Each watch has its own connection. */
const maxWatches = 256;
/** A quarter, so that no namespace can take all watches. */
const maxOfNamespace = maxWatches / 4;

/** Bounds the watches of the objects that keepers name, in all and for each namespace. */
export class WatchSlots {
  readonly #holders = new Map<string, Set<object>>();
  #taken = 0;

  /** Takes a slot for a watch of a namespace. Returns whether there was one. */
  take(namespace: string, holder: object): boolean {
    const holders = this.#holders.get(namespace) ?? new Set<object>();
    if (holders.has(holder)) return true;
    if (this.#taken >= maxWatches || holders.size >= maxOfNamespace) return false;
    holders.add(holder);
    this.#holders.set(namespace, holders);
    this.#taken += 1;
    return true;
  }

  /** Gives the slot of a watch back. */
  release(namespace: string, holder: object): void {
    const holders = this.#holders.get(namespace);
    if (holders?.delete(holder) !== true) return;
    this.#taken -= 1;
    if (holders.size === 0) this.#holders.delete(namespace);
  }
}
