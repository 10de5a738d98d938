import { keyString, type ObjectKey } from '@interlock/api';
import type { ConfigMap } from '@interlock/kube';
import type { ObjectVersion } from './event-sequence.js';

/** 10,000 objects in 100 namespaces, as in a cluster with many tenants. */
export const objectCount = 10_000;
export const namespaceCount = 100;

/** Label of the objects that the benchmark writes; the cluster creates other objects in each namespace. */
export const labelSelector = 'bench.interlock.dev/soak=yes';
const labels = { 'bench.interlock.dev/soak': 'yes' };
/** With this text and its metadata, an object has about 1 KiB of JSON. */
const content = 'x'.repeat(512);

/** Returns the name of a namespace. @param index from 0 to 99 */
export function namespaceAt(index: number): string {
  return `soak-${index}`;
}

/** Returns the key of an object. Consecutive objects are in different namespaces. @param index from 0 to 9,999 */
export function keyAt(index: number): ObjectKey {
  const name = `object-${Math.floor(index / namespaceCount)}`;
  return { namespace: namespaceAt(index % namespaceCount), name };
}

/** Returns `namespace/name` of the objects of a namespace, or of all namespaces by default. */
export function objectsOf(namespace?: string): string[] {
  const keys = Array.from({ length: objectCount }, (_, index) => keyAt(index));
  return keys.filter((key) => namespace === undefined || key.namespace === namespace).map(keyString);
}

/** Returns an object that has not been written since its creation. */
export function objectAt(index: number): object {
  return { metadata: { ...keyAt(index), labels }, data: { count: '0', content } };
}

/** Returns the merge patch of a write. @param sentAt milliseconds since the epoch from {@link preciseNow} */
export function writeOf(count: number, sentAt: number): object {
  return { data: { count: String(count), sentAt: String(sentAt) } };
}

/** Returns the number and the time of the last write of an object in an event. */
export function versionOf({ metadata, data }: ConfigMap): ObjectVersion & { sentAt: number } {
  return {
    object: keyString(metadata),
    count: Number(data?.['count']),
    resourceVersion: metadata.resourceVersion ?? '',
    sentAt: Number(data?.['sentAt']),
  };
}

/** Returns milliseconds since the epoch with fractions, which processes of the same machine can compare. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
