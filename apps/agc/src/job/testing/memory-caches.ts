import type { Kind, KubeObject } from '@interlock/api';
import type { Manager } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';

/** Returns the caches of a manager, with these objects. */
export function memoryCaches(...objects: readonly KubeObject[]): Pick<Manager, 'cache'> {
  const caches = new Map<string, unknown>();
  return {
    cache<T extends KubeObject>(kind: Kind<T>): MemoryCache<T> {
      const own = objects.filter((object): object is T => object.kind === kind.kind);
      const cache = caches.get(kind.kind) ?? new MemoryCache(kind, ...own);
      caches.set(kind.kind, cache);
      return cache as MemoryCache<T>;
    },
  };
}
