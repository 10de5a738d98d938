import { keyString, TypedError, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import type { CallOptions, Client } from '../client/types.js';

/** Answers the reads of one kind. */
interface ReadableCache {
  readonly kind: Kind;
  get(key: ObjectKey): KubeObject | undefined;
}

/**
 * Returns a reader that reads objects of the kinds of `caches` from the caches, and others from the API server. The
 * caches must be synced. A missing object is reported in the same way as by the server: `NotFound`.
 */
export function cachedReads(
  client: Pick<Client, 'get'>,
  caches: readonly ReadableCache[],
): Pick<Client, 'get'> {
  const byKind = new Map(caches.map((cache) => [nameOf(cache.kind), cache]));
  return {
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: CallOptions): Promise<T> {
      const cache = byKind.get(nameOf(kind));
      if (cache === undefined) return client.get(kind, key, options);
      const found = cache.get(key);
      if (found !== undefined) return found as T;
      throw new TypedError('NotFound', `${kind.kind} ${keyString(key)} does not exist`);
    },
  };
}

function nameOf({ group, kind }: Kind): string {
  return `${group}/${kind}`;
}
