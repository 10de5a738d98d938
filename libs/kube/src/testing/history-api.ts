import {
  apiVersionOf,
  keyOf,
  keyString,
  TypedError,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { onAbort } from '@interlock/base';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../client/api-error.js';
import type { Client, WatchEvent } from '../client/types.js';

type Change = Exclude<WatchEvent<KubeObject>, { type: 'BOOKMARK' }>;

interface Collection {
  kind: Kind;
  objects: Map<string, KubeObject>;
  history: { version: number; change: Change }[];
  isServed: boolean;
  watches: Set<Watch>;
}

interface Watch {
  position: number;
  end?: 'closed' | 'lost';
  hasBookmark: boolean;
  wake: () => void;
}

const pageSize = 400;

/**
 * An API of collections with a history, without HTTP: lists have pages of one version, watches continue from a version, and a test
 * ends watches, forgets the history, and removes whole kinds at any moment.
 */
export class HistoryApi {
  isAvailable = true;
  readonly client = this.#client();
  readonly #collections = new Map<string, Collection>();
  #version = 0;
  /** The oldest version from which a watch or a list can continue. */
  #oldest = 0;

  /** Creates or changes an object; it keeps its uid. */
  set(kind: Kind, key: ObjectKey & { namespace: string }, labels: Record<string, string>): void {
    const collection = this.#of(kind);
    if (!collection.isServed) return;
    const known = collection.objects.get(keyString(key));
    const version = ++this.#version;
    const uid = known?.metadata.uid ?? `uid-${version}`;
    const generation = (known?.metadata.generation ?? 0) + 1;
    const object: KubeObject = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { ...key, uid, generation, labels, resourceVersion: textOf(version) },
    };
    collection.objects.set(keyString(key), object);
    this.#record(collection, { type: known === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  remove(kind: Kind, key: ObjectKey): void {
    const collection = this.#of(kind);
    const known = collection.objects.get(keyString(key));
    if (known === undefined) return;
    collection.objects.delete(keyString(key));
    const metadata = { ...known.metadata, resourceVersion: textOf(++this.#version) };
    this.#record(collection, { type: 'DELETED', object: { ...known, metadata } });
  }

  /** Installs a kind, or removes it with its objects. */
  serve(kind: Kind, isServed: boolean): void {
    const collection = this.#of(kind);
    if (!isServed) for (const object of [...collection.objects.values()]) this.remove(kind, keyOf(object));
    collection.isServed = isServed;
    if (!isServed) this.cut(kind, 'closed');
  }

  objects(kind: Kind): KubeObject[] {
    return [...this.#of(kind).objects.values()];
  }

  /** Ends the watches of a kind. */
  cut(kind: Kind, end: 'closed' | 'lost'): void {
    for (const watch of this.#of(kind).watches) {
      watch.end = end;
      watch.wake();
    }
  }

  /** Forgets the history, so that nothing can continue from an earlier version. */
  forget(): void {
    this.#oldest = ++this.#version;
  }

  /** Reports the current version to all watches. */
  bookmark(): void {
    for (const { watches } of this.#collections.values()) {
      for (const watch of watches) {
        watch.hasBookmark = true;
        watch.wake();
      }
    }
  }

  #of(kind: Kind): Collection {
    const known = this.#collections.get(kind.kind);
    if (known !== undefined) return known;
    const collection = { kind, objects: new Map(), history: [], isServed: true, watches: new Set<Watch>() };
    this.#collections.set(kind.kind, collection);
    return collection;
  }

  #record(collection: Collection, change: Change): void {
    collection.history.push({ version: this.#version, change });
    for (const { wake } of collection.watches) wake();
  }

  #check({ isServed }: Collection, position = Infinity): void {
    const line = { method: 'GET', path: '/' };
    if (!this.isAvailable)
      throw new ApiError('Transient', 'unavailable', { ...line, code: 503, reason: 'ServiceUnavailable' });
    if (!isServed) throw new ApiError('NotFound', 'not served', { ...line, code: 404, reason: 'NotFound' });
    if (position < this.#oldest)
      throw new ApiError('NotFound', 'too old', { ...line, code: 410, reason: 'Expired' });
  }

  async *#pages(kind: Kind, limit = pageSize): AsyncGenerator {
    const collection = this.#of(kind);
    await setImmediate();
    this.#check(collection);
    const version = this.#version;
    const objects = [...collection.objects.values()];
    const size = limit === 0 ? Infinity : limit;
    for (let start = 0; start === 0 || start < objects.length; start += size) {
      if (start > 0) await setImmediate();
      this.#check(collection, version);
      const items = structuredClone(objects.slice(start, start + size));
      yield { items, resourceVersion: textOf(version) };
    }
  }

  async *#events(kind: Kind, from: string, signal: AbortSignal): AsyncGenerator {
    const collection = this.#of(kind);
    await setImmediate();
    signal.throwIfAborted();
    const watch: Watch = { position: versionOf(from), hasBookmark: false, wake: () => undefined };
    this.#check(collection, watch.position);
    collection.watches.add(watch);
    const release = onAbort(signal, () => watch.wake());
    try {
      while (!signal.aborted) {
        const next = collection.history.find(({ version }) => version > watch.position);
        if (next !== undefined) {
          watch.position = next.version;
          yield structuredClone(next.change);
        } else if (watch.hasBookmark) {
          watch.hasBookmark = false;
          watch.position = this.#version;
          yield { type: 'BOOKMARK', resourceVersion: textOf(watch.position) };
        } else if (watch.end === 'closed') {
          return;
        } else {
          await new Promise<void>((resolve) => (watch.wake = resolve));
        }
        if (watch.end === 'lost') throw new TypedError('Transient', 'the connection was lost');
      }
      signal.throwIfAborted();
    } finally {
      release();
      collection.watches.delete(watch);
    }
  }

  #client(): Client {
    return {
      listPages: (kind: Kind, { limit }: { limit?: number } = {}) => this.#pages(kind, limit),
      watch: (kind: Kind, options: { resourceVersion: string; signal: AbortSignal }) =>
        this.#events(kind, options.resourceVersion, options.signal),
      resolveKind: async (_apiVersion: string, kind: string) => {
        await setImmediate();
        if (!this.isAvailable) throw new TypedError('Transient', 'unavailable');
        const collection = this.#collections.get(kind);
        return collection?.isServed === true ? collection.kind : undefined;
      },
    } as unknown as Client;
  }
}

/** Versions are opaque for clients. */
function textOf(version: number): string {
  return `v-${version}`;
}

function versionOf(text: string): number {
  return Number(text.slice(2));
}
