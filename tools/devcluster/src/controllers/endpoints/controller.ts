import type { Cluster } from '../../api/cluster.js';
import { createObject } from '../../api/create.js';
import { deleteObject } from '../../api/delete.js';
import { updateObject } from '../../api/update.js';
import { endpoints } from '../../builtin/endpoints/kind.js';
import type { KubeObject } from '../../object.js';
import { controller } from '../identity.js';
import { quietly } from '../quietly.js';
import { decide, managedBy } from './decide.js';
import { followsPods } from './pod-endpoint.js';
import { isBeingDeleted, podsOf, runForServices } from './run-for-services.js';

/** Updates the Endpoints of Services that have a selector. Returns a function that stops the controller. */
export function watchEndpoints(cluster: Cluster): () => void {
  return runForServices(cluster, {
    collection: endpoints.collection,
    serviceOf: ({ key, object }) => (isOurs(object) ? key : undefined),
    sync: (key) => sync(cluster, key),
  });
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managedBy.label] === managedBy.value;
}

async function sync(cluster: Cluster, key: string): Promise<void> {
  const { store } = cluster;
  const [namespace = '', name = ''] = key.split('/');
  const service = store.get('services', key)?.object;
  const stored = store.get(endpoints.collection, key)?.object;
  if (service === undefined) {
    if (stored === undefined || !isOurs(stored)) return;
    await quietly(() => deleteObject(cluster, endpoints, { namespace, name }, {}, controller));
    return;
  }
  if (!followsPods(service) || isBeingDeleted(cluster, namespace)) return;
  const desired = decide(service, podsOf(cluster, service), stored);
  if (desired === undefined) return;
  if (stored === undefined) {
    await quietly(() => createObject(cluster, endpoints, namespace, desired, controller));
    return;
  }
  const update = { namespace, name, change: () => desired };
  await quietly(() => updateObject(cluster, endpoints, update, controller));
}
