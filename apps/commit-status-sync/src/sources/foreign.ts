import type { KubeObject, ObjectMeta } from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import { type CacheEvent } from '@interlock/kube';

const kept = ['namespace', 'uid', 'resourceVersion', 'generation', 'labels'] as const;

/** Returns the part of the metadata of another project's object that is worth keeping in a cache. */
export function keptMetadata(metadata: ObjectMeta): ObjectMeta {
  const present = kept.filter((field) => metadata[field] !== undefined);
  return { name: metadata.name, ...Object.fromEntries(present.map((field) => [field, metadata[field]])) };
}

/** Returns the states of an object that an event concerns; none when an update did not change a field that is kept. */
export function statesOf<T extends KubeObject>(event: CacheEvent<T>): readonly T[] {
  if (event.type !== 'updated') return [event.object];
  return semanticEqual(withoutVersion(event.old), withoutVersion(event.object))
    ? []
    : [event.old, event.object];
}

function withoutVersion({ metadata, ...rest }: KubeObject): object {
  const { resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
