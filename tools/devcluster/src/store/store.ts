import type { KubeObject } from '../object.js';
import { Collection, type Listener } from './collection.js';
import { atRevision, Entry, type StoreEvent } from './entry.js';
import { ExistsError, RevisionError } from './errors.js';
import { firstPassing } from './search.js';

/** Persistent storage of changes. */
export interface Journal {
  /** Called for each change, before any listener. */
  append(event: StoreEvent): void;
  close(): void;
}

interface StoreOptions {
  /** Number of changes of each collection from which watches can be resumed. Default: 5000. */
  historyLimit?: number;
}

/** A page of a list. */
export interface Page {
  entries: Entry[];
  /** The revision of the whole list. */
  revision: number;
  /** The key after which the next page starts; undefined on the last page. */
  next: string | undefined;
  /** The number of entries after this page, including entries that selectors do not match. */
  remaining: number;
}

interface ListOptions {
  namespace?: string;
  /** The revision of the list; default: the latest revision. */
  revision?: number | undefined;
  after?: string | undefined;
  limit?: number | undefined;
  match?: (entry: Entry) => boolean;
}

/**
 * The versioned state of the cluster: objects by collection, one global revision that grows by one with each change,
 * and a window of changes for watches. Every operation is synchronous, so a read followed by a write without an `await`
 * in between is atomic; across an `await`, the expected revision ensures atomicity.
 */
export class Store {
  #current: number;
  #compacted = 0;
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Set<() => void>();
  readonly #undelivered: StoreEvent[] = [];
  #delivering = false;
  readonly #historyLimit: number;
  #journal: Journal | undefined;

  constructor(options: StoreOptions = {}, firstRevision = 1) {
    this.#current = firstRevision;
    this.#historyLimit = options.historyLimit ?? 5000;
  }

  /** The latest revision. */
  get revision(): number {
    return this.#current;
  }

  get(collection: string, key: string): Entry | undefined {
    return this.#collections.get(collection)?.entries.get(key);
  }

  /** Returns all entries of a collection in the order of their keys. */
  entries(collection: string, namespace = ''): readonly Entry[] {
    return this.#collections.get(collection)?.sorted(namespace) ?? [];
  }

  /** Returns the names of all collections that were ever written. */
  collectionNames(): string[] {
    return [...this.#collections.keys()];
  }

  /**
   * Stores a version of an object under the next revision and returns it.
   * `expected`: the revision that is replaced, 0 for none. Throws ExistsError and RevisionError.
   */
  put(collection: string, key: string, object: KubeObject, expected: number): Entry {
    const previous = this.get(collection, key);
    if (expected === 0 && previous !== undefined) throw new ExistsError(key);
    if ((previous?.revision ?? 0) !== expected) throw new RevisionError(key);
    const revision = this.#current + 1;
    const entry = new Entry(collection, key, revision, atRevision(object, revision));
    this.#commit({ type: previous === undefined ? 'ADDED' : 'MODIFIED', revision, entry, previous });
    return entry;
  }

  /** Removes an object and returns its last version under the deletion's revision. Throws RevisionError. */
  delete(collection: string, key: string, expected: number): Entry {
    const previous = this.get(collection, key);
    if (previous?.revision !== expected) throw new RevisionError(key);
    const revision = this.#current + 1;
    const entry = new Entry(collection, key, revision, atRevision(previous.object, revision));
    this.#commit({ type: 'DELETED', revision, entry, previous });
    return entry;
  }

  /** Returns a page of a collection. Throws CompactedError for a revision that is no longer known. */
  list(collection: string, options: ListOptions = {}): Page {
    const { namespace = '', after, limit, match } = options;
    const revision = options.revision ?? this.#current;
    const found = this.#collection(collection);
    const all = revision === this.#current ? found.sorted(namespace) : found.sortedAt(namespace, revision);
    const entries: Entry[] = [];
    let index = after === undefined ? 0 : firstPassing(all, ({ key }) => key > after);
    for (; index < all.length && (limit === undefined || entries.length < limit); index += 1) {
      const entry = all[index];
      if (entry !== undefined && (match === undefined || match(entry))) entries.push(entry);
    }
    const remaining = all.length - index;
    return { entries, revision, remaining, next: remaining > 0 ? all[index - 1]?.key : undefined };
  }

  /**
   * Calls the listener for every change of the collection after a revision: the past ones at once, later ones as they
   * happen. Returns a function that stops the calls. Throws CompactedError.
   */
  watch(collection: string, revision: number, listener: Listener): () => void {
    const found = this.#collection(collection);
    let seen = revision;
    const once = (event: StoreEvent): void => {
      if (event.revision <= seen) return;
      seen = event.revision;
      listener(event);
    };
    for (const event of found.since(revision)) once(event);
    found.listeners.add(once);
    return () => found.listeners.delete(once);
  }

  /** Calls the listener for every change from now on, in every collection. Returns a function that stops the calls. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves true once the revision is reached, false when the signal ends the wait first. */
  async reached(revision: number, signal: AbortSignal): Promise<boolean> {
    while (this.#current < revision) {
      if (signal.aborted) return false;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    }
    return true;
  }

  /** Discards the history of every collection, so that earlier watches fail with 410. */
  compact(): void {
    this.#compacted = this.#current;
    for (const collection of this.#collections.values()) collection.compact(this.#current);
  }

  /** Adds loaded state without history and without an event. */
  load(entries: Iterable<Entry>, revision: number): void {
    this.#current = Math.max(this.#current, revision);
    for (const entry of entries) this.#collection(entry.collection).set(entry);
    this.compact();
  }

  /** Applies a journaled change to the state and the history. */
  replay(
    type: 'PUT' | 'DELETE',
    collection: string,
    key: string,
    revision: number,
    object: KubeObject | undefined,
  ): void {
    const previous = this.get(collection, key);
    const content = object ?? previous?.object;
    if (content === undefined) return;
    const entry = new Entry(collection, key, revision, atRevision(content, revision));
    const kind = type === 'DELETE' ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#current = revision;
    this.#collection(collection).record({ type: kind, revision, entry, previous });
  }

  /** Sets the journal to which every further change is written before it is applied. */
  attach(journal: Journal): void {
    this.#journal = journal;
  }

  /** Closes the journal; the store must not be written afterwards. */
  close(): void {
    this.#journal?.close();
    this.#journal = undefined;
  }

  #collection(name: string): Collection {
    let found = this.#collections.get(name);
    if (found === undefined) {
      found = new Collection(this.#compacted, this.#historyLimit);
      this.#collections.set(name, found);
    }
    return found;
  }

  #commit(event: StoreEvent): void {
    this.#journal?.append(event);
    this.#current = event.revision;
    this.#collection(event.entry.collection).record(event);
    this.#undelivered.push(event);
    if (!this.#delivering) this.#deliver();
  }

  /** Changes by listeners are queued, so that all listeners observe the same order. */
  #deliver(): void {
    this.#delivering = true;
    try {
      for (let event = this.#undelivered.shift(); event !== undefined; event = this.#undelivered.shift()) {
        for (const listener of this.#collection(event.entry.collection).listeners) listener(event);
        for (const listener of this.#listeners) listener(event);
        for (const wake of this.#waiting) wake();
      }
    } finally {
      this.#delivering = false;
    }
  }
}
