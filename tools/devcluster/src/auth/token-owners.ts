import type { KubeObject } from '../object.js';
import { keyOf } from '../store/entry.js';
import type { Store } from '../store/store.js';

const leewayMs = 60_000;

/**
 * Returns the uid of an object that tokens are bound to; undefined when it does not exist, and from a minute after its
 * deletion was requested. Source: Kubernetes pkg/serviceaccount, claims.go.
 */
export function tokenOwnerUid(
  store: Store,
  { kind, namespace, name }: { kind: string; namespace: string; name: string },
  now: Date,
): string | undefined {
  const object: KubeObject | undefined = store.get(`${kind.toLowerCase()}s`, keyOf(namespace, name))?.object;
  const { uid, deletionTimestamp } = object?.metadata ?? {};
  if (deletionTimestamp === undefined) return uid;
  return Date.parse(deletionTimestamp) + leewayMs > now.getTime() ? uid : undefined;
}
