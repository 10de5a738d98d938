import { keyString, TypedError, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import type { CallOptions, Client } from '../client/types.js';

/** What answers the reads of one kind. */
interface ReadableCache {
  readonly kind: Kind;
  get(key: ObjectKey): KubeObject | undefined;
}

/**
 * Returns a reader that takes objects of the kinds of `caches` from these, without a request, and others from the API server.
 * The caches have to be synced. An object that a cache does not have is reported as the server does: `NotFound`.
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
