/** The newest entries of a sequence, up to a number of them. */
export class Ring<T> {
  readonly #entries: (T | undefined)[] = [];
  #next = 0;

  constructor(readonly limit: number) {}

  /** The number of entries added so far, including dropped ones. */
  get total(): number {
    return this.#next;
  }

  add(entry: T): void {
    if (this.limit > 0) this.#entries[this.#next % this.limit] = entry;
    this.#next++;
  }

  /** Returns the entries, oldest first. */
  toArray(): T[] {
    const first = Math.max(0, this.#next - this.limit);
    const entries: T[] = [];
    for (let index = first; index < this.#next; index++) {
      const entry = this.#entries[index % this.limit];
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }
}
