import { setImmediate } from 'node:timers/promises';
import { keyOf, keyString, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { onAbort, type Clock, type Logger } from '@interlock/base';
import type { Client } from '../client/types.js';
import { deepFreeze } from './freeze.js';
import { noCacheMetrics, type CacheMetrics } from './metrics.js';
import { RecentSet } from './recent.js';
import { Reflector, type ObjectEvent, type ReflectorSink } from './reflector.js';
import { Store } from './store.js';
import { Subscribers } from './subscribers.js';
import type { Cache, CacheEvent, CacheOptions, CacheProgress, IndexFunction } from './types.js';

export interface CacheDependencies {
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  log: Logger;
  metrics?: CacheMetrics;
}

/** Number of versions and removals that are remembered for `CacheProgress`. */
const rememberedEvents = 4096;
/** Number of objects of a list that are stored before other work gets its turn. */
const listSlice = 500;

/**
 * Returns a cache of `kind`, which is empty until it runs.
 *
 * Objects are deep-frozen once, when they are stored. This takes a few microseconds per object, and prevents changes of
 * shared objects.
 */
export function createCache<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  options: CacheOptions<T>,
  dependencies: CacheDependencies,
): Cache<T> {
  return new WatchCache(client, kind, options, dependencies);
}

class WatchCache<T extends KubeObject> implements Cache<T>, ReflectorSink<T>, CacheProgress {
  readonly kind: Kind<T>;
  readonly #prepare: (object: T) => T;
  readonly #clock: Clock;
  readonly #store = new Store<T>();
  readonly #subscribers: Subscribers<T>;
  readonly #reflector: Reflector<T>;
  readonly #recent = new RecentSet(rememberedEvents);
  readonly #waiters = new Set<() => void>();
  #pages = new Map<string, T>();
  #started = false;
  #hasSynced = false;
  #listedAt = 0;
  #heardAt = 0;

  constructor(client: Client, kind: Kind<T>, options: CacheOptions<T>, dependencies: CacheDependencies) {
    const { transform, ...scope } = options;
    const { clock, random, log, metrics = noCacheMetrics } = dependencies;
    this.kind = kind;
    this.#clock = clock;
    this.#prepare = preparation(options);
    this.#subscribers = new Subscribers(log);
    this.#reflector = new Reflector({ client, kind, scope, sink: this, clock, random, log, metrics });
  }

  get(key: ObjectKey): T | undefined {
    return this.#store.get(key);
  }

  list(options: { namespace?: string | undefined } = {}): T[] {
    return this.#store.list(options.namespace);
  }

  byIndex(index: string, value: string): T[] {
    return this.#store.byIndex(index, value);
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    if (this.#started)
      throw new Error(`index ${name} of ${this.kind.kind} must be added before the cache starts`);
    this.#store.addIndex(name, index);
  }

  subscribe(handler: (event: CacheEvent<T>) => void): () => void {
    return this.#subscribers.subscribe(handler, this.#store.list(undefined));
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  waitForSync(signal: AbortSignal): Promise<void> {
    if (this.#hasSynced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const done = (): void => {
        release();
        resolve();
      };
      this.#waiters.add(done);
      const release = onAbort(signal, () => {
        this.#waiters.delete(done);
        reject(signal.reason);
      });
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error(`the cache of ${this.kind.kind} has already been started`);
    this.#started = true;
    await this.#reflector.run(signal);
  }

  get progress(): CacheProgress {
    return this;
  }

  get listedAt(): number {
    return this.#listedAt;
  }

  get heardAt(): number {
    return this.#heardAt;
  }

  hasSeen(key: ObjectKey, resourceVersion: string): boolean {
    if (this.#store.get(key)?.metadata.resourceVersion === resourceVersion) return true;
    return this.#recent.has(versionToken(key, resourceVersion));
  }

  hasSeenRemoval(uid: string): boolean {
    return this.#recent.has(uid);
  }

  page(objects: readonly T[]): void {
    for (const object of objects) {
      const known = this.#store.get(object.metadata);
      const same = known !== undefined && isSameState(known, object);
      this.#pages.set(keyString(keyOf(object)), same ? known : this.#prepare(object));
    }
  }

  listFailed(): void {
    this.#pages = new Map();
  }

  async listed(startedAt: number): Promise<void> {
    const pages = this.#pages;
    this.#pages = new Map();
    for (const old of this.#store.list(undefined)) {
      if (!pages.has(keyString(keyOf(old)))) this.#remove(old, old);
    }
    let count = 0;
    for (const object of pages.values()) {
      this.#put(object);
      /* Subscribers may do much for each object, and the lease has to be renewed meanwhile. */
      if (++count % listSlice === 0) await setImmediate();
    }
    this.#listedAt = startedAt;
    /* A list takes long if it has many pages, and reports nothing that was written after its start. */
    this.#heardAt = startedAt;
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  changed(event: ObjectEvent<T>): void {
    const key = keyOf(event.object);
    const { resourceVersion = '' } = event.object.metadata;
    const known = this.#store.get(key);
    if (event.type === 'DELETED') {
      if (known !== undefined) this.#remove(known, this.#prepare(event.object));
    } else if (known === undefined || !isSameState(known, event.object)) {
      this.#put(this.#prepare(event.object));
    }
    this.#recent.add(versionToken(key, resourceVersion));
  }

  /** Stores a state and reports it. An object that was deleted and created again unobserved is reported as both. */
  #put(object: T): void {
    let old = this.#store.get(object.metadata);
    if (old === object) return;
    if (old !== undefined && old.metadata.uid !== object.metadata.uid) {
      this.#remove(old, old);
      old = undefined;
    }
    this.#store.set(object);
    /* The version of a list was not recorded before. */
    if (old !== undefined) this.#recent.add(versionToken(old.metadata, old.metadata.resourceVersion ?? ''));
    /* An object that matches the selector again was not deleted. */
    else if (object.metadata.uid !== undefined) this.#recent.delete(object.metadata.uid);
    this.#subscribers.emit(
      old === undefined
        ? { type: 'added', object, initial: !this.#hasSynced }
        : { type: 'updated', object, old },
    );
  }

  #remove(known: T, last: T): void {
    this.#store.delete(known);
    if (known.metadata.uid !== undefined) this.#recent.add(known.metadata.uid);
    this.#subscribers.emit({ type: 'deleted', object: last });
  }
}

function versionToken(key: ObjectKey, resourceVersion: string): string {
  return `${keyString(key)} ${resourceVersion}`;
}

function isSameState(known: KubeObject, object: KubeObject): boolean {
  const { uid, resourceVersion } = object.metadata;
  return known.metadata.uid === uid && known.metadata.resourceVersion === resourceVersion;
}

function preparation<T extends KubeObject>(options: CacheOptions<T>): (object: T) => T {
  const transform = options.transform ?? dropManagedFields;
  if (options.metadataOnly !== true) return (object) => deepFreeze(transform(object));
  return (object) => {
    /* A server that does not support the media type sends whole objects. */
    const { apiVersion, kind, metadata } = object;
    return deepFreeze(transform({ apiVersion, kind, metadata } as T));
  };
}

function dropManagedFields<T extends KubeObject>(object: T): T {
  delete object.metadata.managedFields;
  return object;
}
