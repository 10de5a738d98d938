/**
 * Creates maps with a bounded total number of entries. They use memory only for existing entries. At the bound, the least
 * recently used map drops its least recently used entry.
 */
export class EntryBudget {
  /* In the order of their last use; non-empty maps only. */
  readonly #maps = new Set<BudgetedMap<unknown>>();
  #entries = 0;

  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Entries of all maps together. */
  get entries(): number {
    return this.#entries;
  }

  map<V>(): BudgetedMap<V> {
    const map: BudgetedMap<V> = new BudgetedMap<V>({
      used: () => {
        this.#maps.delete(map);
        this.#maps.add(map);
      },
      grown: () => {
        this.#entries += 1;
        while (this.#entries > this.#maxEntries) this.#giveUpOne();
      },
      shrunk: (by) => {
        this.#entries -= by;
        if (map.size === 0) this.#maps.delete(map);
      },
    });
    return map;
  }

  #giveUpOne(): void {
    const [map] = this.#maps;
    map?.giveUpOldest();
  }
}

interface Usage {
  used(): void;
  grown(): void;
  shrunk(by: number): void;
}

/** A map whose entries count against an {@link EntryBudget}, which may drop any of them at any time. */
export class BudgetedMap<V> {
  /* In the order of their last use. */
  #entries: Map<string, V> | undefined;

  readonly #usage: Usage;

  constructor(usage: Usage) {
    this.#usage = usage;
  }

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  get(key: string): V | undefined {
    const value = this.#entries?.get(key);
    if (value === undefined) return undefined;
    this.#entries?.delete(key);
    this.#entries?.set(key, value);
    this.#usage.used();
    return value;
  }

  set(key: string, value: V): void {
    const entries = (this.#entries ??= new Map());
    const isNew = !entries.delete(key);
    entries.set(key, value);
    this.#usage.used();
    if (isNew) this.#usage.grown();
  }

  delete(key: string): void {
    if (this.#entries?.delete(key) === true) this.#usage.shrunk(1);
  }

  values(): V[] {
    return [...(this.#entries?.values() ?? [])];
  }

  clear(): void {
    const { size } = this;
    this.#entries = undefined;
    this.#usage.shrunk(size);
  }

  giveUpOldest(): void {
    const [key] = this.#entries?.keys() ?? [];
    if (key !== undefined) this.delete(key);
  }
}
