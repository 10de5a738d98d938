import { Gate, ifFound, type ObjectKey } from '@interlock/api';
import type { Client } from '@interlock/kube';
import type { GateCaches } from '../caches.js';

/**
 * Returns a gate; undefined if it does not exist. A gate that the caches do not show yet is read from the API server, because it
 * may have been created together with the object that refers to it.
 */
export type GateLookup = (key: ObjectKey, signal: AbortSignal) => Promise<Gate | undefined>;

export function gateLookup({ gates }: Pick<GateCaches, 'gates'>, client: Pick<Client, 'get'>): GateLookup {
  return async (key, signal) => gates.get(key) ?? ifFound(client.get(Gate, key, { signal }));
}
