import { keyString, type ObjectKey } from '@interlock/api';
import type { ConfigMap } from '@interlock/kube';
import type { ObjectVersion } from './event-sequence.js';

/** 10,000 objects in 100 namespaces, as a cluster with many tenants has them. */
export const objectCount = 10_000;
export const namespaceCount = 100;

/** Of this label are the objects that the benchmark writes; the cluster puts others into each namespace. */
export const labelSelector = 'bench.interlock.dev/soak=yes';
const labels = { 'bench.interlock.dev/soak': 'yes' };
/** With its metadata an object is about 1 KiB of JSON. */
const content = 'x'.repeat(512);

/** Returns the name of a namespace. @param index from 0 to 99 */
export function namespaceAt(index: number): string {
  return `soak-${index}`;
}

/** Returns the key of an object; objects next to each other are in different namespaces. @param index from 0 to 9,999 */
export function keyAt(index: number): ObjectKey {
  const name = `object-${Math.floor(index / namespaceCount)}`;
  return { namespace: namespaceAt(index % namespaceCount), name };
}

/** Returns `namespace/name` of the objects of a namespace, by default of all. */
export function objectsOf(namespace?: string): string[] {
  const keys = Array.from({ length: objectCount }, (_, index) => keyAt(index));
  return keys.filter((key) => namespace === undefined || key.namespace === namespace).map(keyString);
}

/** Returns an object that has not been written since its creation. */
export function objectAt(index: number): object {
  return { metadata: { ...keyAt(index), labels }, data: { count: '0', content } };
}

/** Returns the merge patch of a write. @param sentAt milliseconds since the epoch, as {@link preciseNow} gives them */
export function writeOf(count: number, sentAt: number): object {
  return { data: { count: String(count), sentAt: String(sentAt) } };
}

/** Returns what an event says about the writes of its object. */
export function versionOf({ metadata, data }: ConfigMap): ObjectVersion & { sentAt: number } {
  return {
    object: keyString(metadata),
    count: Number(data?.['count']),
    resourceVersion: metadata.resourceVersion ?? '',
    sentAt: Number(data?.['sentAt']),
  };
}

/** Returns milliseconds since the epoch, with fractions: processes of one machine can compare them. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
