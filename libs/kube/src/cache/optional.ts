import { apiVersionOf, messageOf, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { delay } from '@interlock/base';
import type { Client } from '../client/types.js';
import type { Runnable } from '../runtime/runnable.js';
import { createCache, type CacheDependencies } from './cache.js';
import { Subscribers } from './subscribers.js';
import type {
  Cache,
  CacheEvent,
  CacheOptions,
  CacheProgress,
  FollowedCache,
  IndexFunction,
} from './types.js';

/**
 * The availability of a kind.
 *
 * - `unknown`: it is not known yet whether the API server serves the kind.
 * - `absent`: the API server does not serve it.
 * - `reading`: it is served, but its objects are not known yet.
 * - `ready`: the cache is synced.
 */
export type Availability = 'unknown' | 'absent' | 'reading' | 'ready';

/**
 * A cache of a kind that may be installed or removed at any time. It is added to the manager as a runnable: the manager
 * neither waits for it nor fails without it.
 */
export interface OptionalCache<T extends KubeObject> extends Runnable, FollowedCache<T> {
  readonly kind: Kind<T>;
  readonly availability: Availability;
  /** Returns objects in no particular order; none while the kind is absent. */
  list(options?: { namespace?: string | undefined }): T[];
  /**
   * Returns objects for which the named index has `value`; none while the kind is absent.
   *
   * @throws Error if the index does not exist
   */
  byIndex(index: string, value: string): T[];
  /** Adds an index. It must be called before the cache runs, once per name. */
  addIndex(name: string, index: IndexFunction<T>): void;
  /** Calls `handler` when `availability` changes. It must be called before the cache runs. */
  onAvailability(handler: () => void): void;
}

export interface OptionalCacheOptions<T extends KubeObject> extends CacheOptions<T> {
  /** Milliseconds between two checks of the kinds that the API server serves. Default: 30,000. */
  checkIntervalMs?: number | undefined;
}

/** Returns a cache of `kind`, which is empty while the API server does not serve it. */
export function createOptionalCache<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  options: OptionalCacheOptions<T>,
  dependencies: CacheDependencies,
): OptionalCache<T> {
  return new DiscoveredCache(client, kind, options, dependencies);
}

/** The progress for a kind that is not served: there are no objects to observe. */
const nothingSeen: CacheProgress = {
  hasSeen: () => true,
  hasSeenRemoval: () => true,
  listedAt: 0,
  heardAt: 0,
};

interface Running<T extends KubeObject> {
  cache: Cache<T>;
  stop(): Promise<void>;
}

class DiscoveredCache<T extends KubeObject> implements OptionalCache<T> {
  readonly name: string;
  readonly #subscribers: Subscribers<T>;
  readonly #watchers: (() => void)[] = [];
  readonly #indexes = new Map<string, IndexFunction<T>>();
  #availability: Availability = 'unknown';
  #running: Running<T> | undefined;

  readonly #client: Client;
  readonly #options: OptionalCacheOptions<T>;
  readonly #dependencies: CacheDependencies;

  constructor(
    client: Client,
    readonly kind: Kind<T>,
    options: OptionalCacheOptions<T>,
    dependencies: CacheDependencies,
  ) {
    this.#client = client;
    this.#options = options;
    this.#dependencies = dependencies;

    this.#subscribers = new Subscribers(dependencies.log);
    this.name = `cache of ${kind.plural}.${kind.group}`;
  }

  get availability(): Availability {
    return this.#availability;
  }

  get(key: ObjectKey): T | undefined {
    return this.#running?.cache.get(key);
  }

  list(options?: { namespace?: string | undefined }): T[] {
    return this.#running?.cache.list(options) ?? [];
  }

  byIndex(index: string, value: string): T[] {
    if (!this.#indexes.has(index)) throw new Error(`index ${index} of ${this.kind.kind} does not exist`);
    return this.#running?.cache.byIndex(index, value) ?? [];
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    if (this.#indexes.has(name)) throw new Error(`index ${name} of ${this.kind.kind} already exists`);
    if (this.#running !== undefined)
      throw new Error(`index ${name} of ${this.kind.kind} must be added before the cache starts`);
    this.#indexes.set(name, index);
  }

  get progress(): CacheProgress {
    return this.#running?.cache.progress ?? nothingSeen;
  }

  subscribe(handler: (event: CacheEvent<T>) => void): () => void {
    return this.#subscribers.subscribe(handler, this.list());
  }

  onAvailability(handler: () => void): void {
    this.#watchers.push(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { checkIntervalMs = 30_000 } = this.#options;
    while (!signal.aborted) {
      await this.#check(signal);
      await delay(this.#dependencies.clock, checkIntervalMs, signal);
    }
    await this.#running?.stop();
  }

  async #check(signal: AbortSignal): Promise<void> {
    let served: boolean;
    try {
      served = await isServed(this.#client, this.kind, signal);
    } catch (error) {
      if (signal.aborted) return;
      const fields = { kind: this.kind.kind, error: messageOf(error) };
      this.#dependencies.log.warn(fields, 'Cannot determine whether the kind is served');
      return;
    }
    if (served) {
      this.#start();
    } else {
      await this.#running?.stop();
      const gone = this.list();
      this.#running = undefined;
      this.#become('absent');
      for (const object of gone) this.#subscribers.emit({ type: 'deleted', object });
    }
  }

  #start(): void {
    if (this.#running !== undefined) return;
    const { checkIntervalMs: _interval, ...options } = this.#options;
    const cache = createCache(this.#client, this.kind, options, this.#dependencies);
    for (const [name, index] of this.#indexes) cache.addIndex(name, index);
    const abort = new AbortController();
    cache.subscribe((event) => this.#subscribers.emit(event));
    const ended = cache.run(abort.signal);
    const synced = cache.waitForSync(abort.signal).then(
      () => this.#become('ready'),
      () => undefined,
    );
    this.#running = {
      cache,
      async stop() {
        abort.abort();
        await Promise.all([ended, synced]);
      },
    };
    this.#become('reading');
  }

  #become(availability: Availability): void {
    if (this.#availability === availability) return;
    this.#availability = availability;
    this.#dependencies.log.info({ kind: this.kind.kind, availability }, 'Optional kind');
    this.#watchers.forEach((watcher) => watcher());
  }
}

/** Calls the discovery API, which every authenticated user may read. */
async function isServed(client: Client, kind: Kind, signal: AbortSignal): Promise<boolean> {
  const served = await client.resolveKind(apiVersionOf(kind), kind.kind, { signal });
  return served?.plural === kind.plural;
}
