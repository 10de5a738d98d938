import type { Entry, StoreEvent } from './entry.js';
import { CompactedError } from './errors.js';
import { KeyOrder, sortByKey } from './key-order.js';
import { firstPassing } from './search.js';

export type Listener = (event: StoreEvent) => void;

/** The objects of a resource, their recent changes and their watchers. */
export class Collection {
  readonly entries = new Map<string, Entry>();
  readonly listeners = new Set<Listener>();
  readonly #namespaces = new Map<string, Map<string, Entry>>();
  /** Orders of the keys by namespace ('' for all), for namespaces that were listed. */
  readonly #orders = new Map<string, KeyOrder>();
  #history: StoreEvent[] = [];

  /** Changes up to this revision are compacted. */
  #compacted: number;
  readonly #historyLimit: number;

  constructor(compacted: number, historyLimit: number) {
    this.#compacted = compacted;
    this.#historyLimit = historyLimit;
  }

  /** Applies the change to the current state and the history. */
  record(event: StoreEvent): void {
    const { entry } = event;
    if (event.type === 'DELETED') this.#remove(entry);
    else this.set(entry);
    this.#history.push(event);
    if (this.#history.length > this.#historyLimit * 2)
      this.#forget(this.#history.length - this.#historyLimit);
  }

  /** Adds an entry without history when state is loaded. */
  set(entry: Entry): void {
    const { key, namespace } = entry;
    this.#reorder(namespace, key, entry);
    this.entries.set(key, entry);
    const inNamespace = this.#namespaces.get(namespace) ?? new Map<string, Entry>();
    this.#namespaces.set(namespace, inNamespace.set(key, entry));
  }

  #remove({ key, namespace }: Entry): void {
    this.#reorder(namespace, key, undefined);
    this.entries.delete(key);
    const inNamespace = this.#namespaces.get(namespace);
    inNamespace?.delete(key);
    if (inNamespace?.size !== 0) return;
    /* A namespace without objects is removed. */
    this.#namespaces.delete(namespace);
    this.#orders.delete(namespace);
  }

  #reorder(namespace: string, key: string, entry: Entry | undefined): void {
    for (const view of new Set([namespace, ''])) {
      if (this.#orders.get(view)?.change(key, entry) === false) this.#orders.delete(view);
    }
  }

  /** Returns the number of objects, in one namespace or (with '') in all. */
  size(namespace: string): number {
    return namespace === '' ? this.entries.size : (this.#namespaces.get(namespace)?.size ?? 0);
  }

  /** Returns the entries ordered by key, of one namespace or (with '') of all. */
  sorted(namespace: string): readonly Entry[] {
    const known = this.#orders.get(namespace);
    if (known !== undefined) return known.list();
    const source = namespace === '' ? this.entries : this.#namespaces.get(namespace);
    if (source === undefined) return [];
    const order = new KeyOrder(source.values());
    this.#orders.set(namespace, order);
    return order.list();
  }

  /** Returns the entries as they were at an earlier revision. Throws CompactedError. */
  sortedAt(namespace: string, revision: number): readonly Entry[] {
    const undone = new Map<string, Entry | undefined>();
    for (const event of this.since(revision)) {
      if (!undone.has(event.entry.key)) undone.set(event.entry.key, event.previous);
    }
    if (undone.size === 0) return this.sorted(namespace);
    const kept = this.sorted(namespace).filter((entry) => !undone.has(entry.key));
    for (const entry of undone.values()) {
      if (entry !== undefined && (namespace === '' || entry.namespace === namespace)) kept.push(entry);
    }
    return sortByKey(kept);
  }

  /** Returns the changes after a revision, oldest first. Throws CompactedError. */
  since(revision: number): StoreEvent[] {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    return this.#history.slice(firstPassing(this.#history, (event) => event.revision > revision));
  }

  /** Discards all changes so far. */
  compact(revision: number): void {
    this.#history = [];
    this.#compacted = revision;
  }

  #forget(count: number): void {
    this.#compacted = this.#history[count - 1]?.revision ?? this.#compacted;
    this.#history = this.#history.slice(count);
  }
}
