import type { Cluster } from '../../api/cluster.js';
import { textAt, type KubeObject } from '../../object.js';
import type { Entry, StoreEvent } from '../../store/entry.js';
import { runController } from '../keyed-controller.js';
import { concernsEndpoints, selects } from './pod-endpoint.js';

/** A controller of the objects that list the endpoints of Services. */
interface EndpointController {
  /** The collection of these objects. */
  collection: string;
  /** Returns the key of the Service that an object is for; undefined if the controller does not manage the object. */
  serviceOf: (entry: Entry) => string | undefined;
  /** Brings the objects of the Service with a key up to date. */
  sync: (key: string) => Promise<void>;
}

/**
 * Runs a controller over all Services, and over those whose endpoints may have changed: after a change of the Service,
 * of one of its pods, of the node of such a pod, or of an object for the Service. Returns a function that stops the
 * controller.
 */
export function runForServices(
  cluster: Cluster,
  { collection, serviceOf, sync }: EndpointController,
): () => void {
  const { store } = cluster;
  const ownKeys = (entry: Entry): string[] => {
    const service = serviceOf(entry);
    return service === undefined ? [] : [service];
  };
  return runController(cluster, {
    collection: 'services',
    firstKeys: store.entries(collection).flatMap(ownKeys),
    keysOf: (event) =>
      event.entry.collection === collection ? ownKeys(event.entry) : keysOf(cluster, event),
    sync: async (key) => {
      await sync(key);
      return undefined;
    },
  });
}

function keysOf(cluster: Cluster, { type, entry, previous }: StoreEvent): string[] {
  switch (entry.collection) {
    case 'services':
      return [entry.key];
    case 'pods': {
      const isChange = concernsEndpoints(previous?.object, type === 'DELETED' ? undefined : entry.object);
      return isChange ? keysOfPod(cluster, entry, previous?.object) : [];
    }
    case 'nodes':
      return type === 'MODIFIED' ? [] : keysOfNode(cluster, entry.key);
    default:
      return [];
  }
}

function keysOfPod({ store }: Cluster, pod: Entry, before?: KubeObject): string[] {
  return store
    .entries('services', pod.namespace)
    .filter(({ object }) => selects(object, pod.object) || (before !== undefined && selects(object, before)))
    .map(({ key }) => key);
}

function keysOfNode(cluster: Cluster, node: string): string[] {
  const pods = cluster.store
    .entries('pods')
    .filter(({ object }) => textAt(object, 'spec', 'nodeName') === node);
  return pods.flatMap((pod) => keysOfPod(cluster, pod));
}

/** Returns the pods that a Service selects. */
export function podsOf({ store }: Cluster, service: KubeObject): KubeObject[] {
  return store
    .entries('pods', service.metadata.namespace)
    .map(({ object }) => object)
    .filter((pod) => selects(service, pod));
}

/** Returns whether a namespace is being deleted, so that nothing can be created in it. */
export function isBeingDeleted({ store }: Cluster, namespace: string): boolean {
  return store.get('namespaces', namespace)?.object.metadata.deletionTimestamp !== undefined;
}
