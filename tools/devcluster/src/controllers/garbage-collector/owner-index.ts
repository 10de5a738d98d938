import type { KubeObject } from '../../object.js';
import type { Store } from '../../store/store.js';
import type { Entry, StoreEvent } from '../../store/entry.js';

/** Where an object is stored. */
interface Place {
  collection: string;
  key: string;
}

/** An index of objects by uid and by owner, which store events update. */
export class OwnerIndex {
  readonly #store: Store;
  readonly #places = new Map<string, Place>();
  readonly #owned = new Map<string, Map<string, Place>>();

  constructor(store: Store) {
    this.#store = store;
    for (const collection of store.collectionNames()) {
      for (const entry of store.entries(collection)) this.#add(entry);
    }
  }

  /** Updates the index after a change. */
  take({ type, entry, previous }: StoreEvent): void {
    if (previous !== undefined) this.#remove(previous);
    if (type !== 'DELETED') this.#add(entry);
  }

  /** Returns the current object with a uid. */
  find(uid: string): Entry | undefined {
    const place = this.#places.get(uid);
    return place && this.#store.get(place.collection, place.key);
  }

  /** Returns the objects that name the uid as an owner. */
  dependents(uid: string): Entry[] {
    return [...(this.#owned.get(uid)?.values() ?? [])].flatMap(({ collection, key }) => {
      const entry = this.#store.get(collection, key);
      return entry === undefined ? [] : [entry];
    });
  }

  #add({ collection, key, object }: Entry): void {
    const place = { collection, key };
    const { uid } = object.metadata;
    if (uid !== undefined) this.#places.set(uid, place);
    for (const owner of owners(object)) {
      const known = this.#owned.get(owner) ?? new Map<string, Place>();
      this.#owned.set(owner, known.set(uid ?? key, place));
    }
  }

  #remove({ key, object }: Entry): void {
    const { uid } = object.metadata;
    if (uid !== undefined) this.#places.delete(uid);
    for (const owner of owners(object)) {
      const known = this.#owned.get(owner);
      known?.delete(uid ?? key);
      if (known?.size === 0) this.#owned.delete(owner);
    }
  }
}

function owners({ metadata }: KubeObject): string[] {
  return (metadata.ownerReferences ?? []).map(({ uid }) => uid);
}
