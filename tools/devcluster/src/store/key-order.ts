import type { Entry } from './entry.js';
import { firstPassing } from './search.js';

/** With more changes than this since the last list, sorting anew is the cheaper way. */
const mostChanges = 100;

/** Entries in the order of their keys. A list that was returned never changes: after a change another one is made. */
export class KeyOrder {
  #list: readonly Entry[];
  /** What has changed since the list was made: by key the entry, undefined when it is gone. */
  readonly #changes = new Map<string, Entry | undefined>();

  constructor(entries: Iterable<Entry>) {
    this.#list = sortByKey([...entries]);
  }

  /** Takes a change. Returns false when the order is not worth keeping. */
  change(key: string, entry: Entry | undefined): boolean {
    this.#changes.set(key, entry);
    return this.#changes.size <= mostChanges;
  }

  /** Returns the present entries. */
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
