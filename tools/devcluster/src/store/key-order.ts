import type { Entry } from './entry.js';
import { firstPassing } from './search.js';

/** Number of changes since the last list above which sorting again is cheaper. */
const mostChanges = 100;

/** Entries in the order of their keys. A returned list never changes; a new list is created after a change. */
export class KeyOrder {
  #list: readonly Entry[];
  /** The changes since the list was created: entries by key, or undefined for deleted ones. */
  readonly #changes = new Map<string, Entry | undefined>();

  constructor(entries: Iterable<Entry>) {
    this.#list = sortByKey([...entries]);
  }

  /** Records a change. Returns false if the order is not worth keeping. */
  change(key: string, entry: Entry | undefined): boolean {
    this.#changes.set(key, entry);
    return this.#changes.size <= mostChanges;
  }

  /** Returns the current entries. */
  list(): readonly Entry[] {
    if (this.#changes.size === 0) return this.#list;
    const list = [...this.#list];
    for (const [key, entry] of this.#changes) {
      const index = firstPassing(list, (one) => one.key >= key);
      const present = list[index]?.key === key ? 1 : 0;
      if (entry === undefined) list.splice(index, present);
      else list.splice(index, present, entry);
    }
    this.#changes.clear();
    this.#list = list;
    return list;
  }
}

/** Sorts entries in place. */
export function sortByKey(entries: Entry[]): Entry[] {
  return entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
