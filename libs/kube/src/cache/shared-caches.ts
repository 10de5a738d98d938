import type { Kind, KubeObject } from '@interlock/api';
import { aborted } from '@interlock/base';
import type { Client } from '../client/types.js';
import { createCache, type CacheDependencies } from './cache.js';
import type { Cache, CacheOptions } from './types.js';

/** The caches of a process: one for each kind and set of options, shared by all users. */
export interface SharedCaches {
  /** Returns the cache of a kind and options. A cache that is requested while the others run is started at once. */
  get<T extends KubeObject>(kind: Kind<T>, options?: CacheOptions<T>): Cache<T>;
  readonly hasSynced: boolean;
  /** Resolves when each cache that was requested so far has synced; rejects when `signal` aborts. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Runs the caches until `signal` aborts; resolves when all have stopped. */
  run(signal: AbortSignal): Promise<void>;
}

export function sharedCaches(client: Client, dependencies: CacheDependencies): SharedCaches {
  const caches = new Map<string, Cache<KubeObject>>();
  const transforms = new Map<unknown, number>();
  const running: Promise<void>[] = [];
  let signal: AbortSignal | undefined;

  return {
    get<T extends KubeObject>(kind: Kind<T>, options: CacheOptions<T> = {}): Cache<T> {
      const key = cacheKey(kind, options, transforms);
      const known = caches.get(key);
      if (known !== undefined) return known as Cache<KubeObject> & Cache<T>;
      const cache = createCache(client, kind, options, dependencies);
      caches.set(key, cache as Cache<T> & Cache<KubeObject>);
      if (signal !== undefined) running.push(cache.run(signal));
      return cache;
    },
    get hasSynced() {
      return [...caches.values()].every((cache) => cache.hasSynced);
    },
    async waitForSync(until) {
      await Promise.all([...caches.values()].map((cache) => cache.waitForSync(until)));
    },
    async run(until) {
      signal = until;
      for (const cache of caches.values()) running.push(cache.run(until));
      await aborted(until);
      await Promise.all(running);
    },
  };
}

/** Returns the key of a cache. Transforms are distinguished by identity. */
function cacheKey<T extends KubeObject>(
  kind: Kind<T>,
  options: CacheOptions<T>,
  transforms: Map<unknown, number>,
): string {
  const { transform, namespace, labelSelector, fieldSelector, metadataOnly } = options;
  if (!transforms.has(transform)) transforms.set(transform, transforms.size);
  return JSON.stringify([
    [kind.group, kind.version, kind.kind],
    [namespace, labelSelector, fieldSelector, metadataOnly === true, transforms.get(transform)],
  ]);
}
