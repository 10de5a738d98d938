import type { Entry, StoreEvent } from './entry.js';
import { CompactedError } from './errors.js';

export type Listener = (event: StoreEvent) => void;

/** The objects of one resource, their recent changes and those who watch them. */
export class Collection {
  readonly entries = new Map<string, Entry>();
  readonly listeners = new Set<Listener>();
  private readonly namespaces = new Map<string, Map<string, Entry>>();
  /** Key-ordered views, by namespace ('' is all); dropped when a key comes or goes. */
  private readonly ordered = new Map<string, Entry[]>();
  private history: StoreEvent[] = [];

  constructor(
    /** Changes up to this revision are forgotten. */
    private compacted: number,
    private readonly historyLimit: number,
  ) {}

  /** Takes the change into the current state and the history. */
  record(event: StoreEvent): void {
    const { entry } = event;
    if (event.type === 'DELETED') this.remove(entry);
    else this.set(entry);
    this.history.push(event);
    if (this.history.length > this.historyLimit * 2) this.forget(this.history.length - this.historyLimit);
  }

  /** Puts an entry in without history, when state is loaded. */
  set(entry: Entry): void {
    const { key, namespace } = entry;
    this.ordered.delete(namespace);
    this.ordered.delete('');
    this.entries.set(key, entry);
    const inNamespace = this.namespaces.get(namespace) ?? new Map<string, Entry>();
    this.namespaces.set(namespace, inNamespace.set(key, entry));
  }

  private remove({ key, namespace }: Entry): void {
    this.ordered.delete(namespace);
    this.ordered.delete('');
    this.entries.delete(key);
    const inNamespace = this.namespaces.get(namespace);
    inNamespace?.delete(key);
    if (inNamespace?.size === 0) this.namespaces.delete(namespace);
  }

  /** The number of objects, in one namespace or (with '') in all. */
  size(namespace: string): number {
    return namespace === '' ? this.entries.size : (this.namespaces.get(namespace)?.size ?? 0);
  }

  /** The entries ordered by key, of one namespace or (with '') of all. */
  sorted(namespace: string): Entry[] {
    let list = this.ordered.get(namespace);
    if (list === undefined) {
      const source = namespace === '' ? this.entries : this.namespaces.get(namespace);
      /* Nothing is kept of a namespace without objects. */
      if (source === undefined) return [];
      list = sortByKey([...source.values()]);
      this.ordered.set(namespace, list);
    }
    return list;
  }

  /** The entries as they were at an earlier revision. Throws CompactedError. */
  sortedAt(namespace: string, revision: number): Entry[] {
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

  /** The changes after a revision, oldest first. Throws CompactedError. */
  since(revision: number): StoreEvent[] {
    if (revision < this.compacted) throw new CompactedError(revision, this.compacted);
    let low = 0;
    let high = this.history.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.history[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.history.slice(low);
  }

  /** Forgets all changes up to now. */
  compact(revision: number): void {
    this.history = [];
    this.compacted = revision;
  }

  private forget(count: number): void {
    this.compacted = this.history[count - 1]?.revision ?? this.compacted;
    this.history = this.history.slice(count);
  }
}

function sortByKey(entries: Entry[]): Entry[] {
  return entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
