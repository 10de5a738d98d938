import type { KubeObject } from '@interlock/api';

/** Characters of JSON of the objects that the keepers of a namespace name, as many as 20 calendars by URL may have. */
export const maxCharacters = 20 * 1024 * 1024;

interface Namespace {
  total: number;
  /** Characters by what holds an object. */
  readonly sizes: Map<object, number>;
}

/** Bounds the memory for the objects that the keepers of each namespace name: a keeper of a few lines can name 1.5 MiB. */
export class ObjectBudget {
  readonly #namespaces = new Map<string, Namespace>();
  readonly #max: number;

  constructor(max = maxCharacters) {
    this.#max = max;
  }

  /**
   * Takes the room for an object, in place of that for its former version, which is given back in any case. Returns whether there
   * is enough.
   *
   * @param holder what keeps the object in memory, not the object itself: for a moment, two may keep the same one
   */
  take(namespace: string, holder: object, object: KubeObject): boolean {
    this.release(namespace, holder);
    const size = JSON.stringify(object).length;
    const taken = this.#namespaces.get(namespace) ?? { total: 0, sizes: new Map<object, number>() };
    if (taken.total + size > this.#max) return false;
    taken.total += size;
    taken.sizes.set(holder, size);
    this.#namespaces.set(namespace, taken);
    return true;
  }

  /** Gives the room for an object back. */
  release(namespace: string, holder: object): void {
    const taken = this.#namespaces.get(namespace);
    if (taken === undefined) return;
    taken.total -= taken.sizes.get(holder) ?? 0;
    taken.sizes.delete(holder);
    if (taken.sizes.size === 0) this.#namespaces.delete(namespace);
  }
}
