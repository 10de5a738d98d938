import { Gate, ifFound, type ObjectKey } from '@interlock/api';
import type { Client } from '@interlock/kube';
import type { GateCaches } from '../caches.js';

/** Finds a gate; one that came a moment ago, perhaps with what refers to it, is asked for where the caches lack it. */
export type GateLookup = (key: ObjectKey, signal: AbortSignal) => Promise<Gate | undefined>;

export function gateLookup({ gates }: Pick<GateCaches, 'gates'>, client: Pick<Client, 'get'>): GateLookup {
  return async (key, signal) => gates.get(key) ?? ifFound(client.get(Gate, key, { signal }));
}
