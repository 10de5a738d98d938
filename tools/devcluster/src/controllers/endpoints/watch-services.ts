import type { Cluster } from '../../api/cluster.js';
import { textAt, type KubeObject } from '../../object.js';
import type { Entry, StoreEvent } from '../../store/entry.js';
import { selects } from './pod-endpoint.js';

/**
 * Calls back with the key of every Service whose endpoints may have changed: now with all of them, later after a change
 * of the Service, of one of its pods, of a node of one, or of an object of `own` that `serviceOf` finds a Service for.
 * Returns what ends it.
 */
export function watchServices(
  { store }: Cluster,
  add: (key: string) => void,
  own: { collection: string; serviceOf: (entry: Entry) => string | undefined },
): () => void {
  const addFor = (pod: Entry, before?: KubeObject): void => {
    for (const { key, object } of store.entries('services', pod.namespace)) {
      if (selects(object, pod.object) || (before !== undefined && selects(object, before))) add(key);
    }
  };
  const take = ({ type, entry, previous }: StoreEvent): void => {
    if (entry.collection === 'services') add(entry.key);
    if (entry.collection === 'pods') addFor(entry, previous?.object);
    if (entry.collection === 'nodes' && type !== 'MODIFIED') {
      const pods = store
        .entries('pods')
        .filter(({ object }) => textAt(object, 'spec', 'nodeName') === entry.key);
      for (const pod of pods) addFor(pod);
    }
    const service = entry.collection === own.collection ? own.serviceOf(entry) : undefined;
    if (service !== undefined) add(service);
  };
  for (const { key } of store.entries('services')) add(key);
  for (const entry of store.entries(own.collection)) {
    const service = own.serviceOf(entry);
    if (service !== undefined) add(service);
  }
  return store.subscribe(take);
}

/** Returns the pods that a Service selects. */
export function podsOf({ store }: Cluster, service: KubeObject): KubeObject[] {
  return store
    .entries('pods', service.metadata.namespace)
    .map(({ object }) => object)
    .filter((pod) => selects(service, pod));
}
