import type { Cluster } from '../../api/cluster.js';
import { createObject } from '../../api/create.js';
import { deleteObject } from '../../api/delete.js';
import { updateObject } from '../../api/update.js';
import { endpointSlice } from '../../builtin/endpoint-slice.js';
import { followsPods } from '../endpoints/pod-endpoint.js';
import { isBeingDeleted, podsOf, runForServices } from '../endpoints/run-for-services.js';
import { controller } from '../identity.js';
import { quietly } from '../quietly.js';
import { keyOf, type Entry } from '../../store/entry.js';
import { decide, managedBy, serviceNameLabel, type Write } from './decide.js';

/** Updates the EndpointSlices of Services that have a selector. Returns a function that stops the controller. */
export function watchEndpointSlices(cluster: Cluster): () => void {
  return runForServices(cluster, {
    collection: endpointSlice.collection,
    serviceOf,
    sync: (key) => sync(cluster, key),
  });
}

/** Returns the key of the Service of a slice; undefined if the controller does not manage the slice. */
function serviceOf({ namespace, object }: Entry): string | undefined {
  const { [managedBy.label]: manager, [serviceNameLabel]: service } = object.metadata.labels ?? {};
  return manager === managedBy.value && service !== undefined ? keyOf(namespace, service) : undefined;
}

/** Updates the slices of a Service. The slices of a deleted Service are deleted with their owner. */
async function sync(cluster: Cluster, key: string): Promise<void> {
  const { store } = cluster;
  const service = store.get('services', key)?.object;
  if (service === undefined || !followsPods(service)) return;
  const { namespace = '', deletionTimestamp } = service.metadata;
  if (isBeingDeleted(cluster, namespace) || deletionTimestamp !== undefined) return;
  const slices = store
    .entries(endpointSlice.collection, namespace)
    .filter((entry) => serviceOf(entry) === key && entry.object.metadata.deletionTimestamp === undefined)
    .map(({ object }) => object);
  const nodeOf = (name: string) => store.get('nodes', name)?.object;
  for (const write of decide({ service, pods: podsOf(cluster, service), nodeOf, slices })) {
    await quietly(() => apply(cluster, namespace, write));
  }
}

async function apply(cluster: Cluster, namespace: string, write: Write): Promise<void> {
  switch (write.kind) {
    case 'create':
      await createObject(cluster, endpointSlice, namespace, write.slice, controller);
      return;
    case 'update': {
      const { slice } = write;
      const update = { namespace, name: slice.metadata.name, change: () => slice };
      await updateObject(cluster, endpointSlice, update, controller);
      return;
    }
    case 'delete':
      await deleteObject(cluster, endpointSlice, { namespace, name: write.name }, {}, controller);
  }
}
