import { ApiError } from '../../api/api-error.js';
import type { Cluster } from '../../api/cluster.js';
import { deleteObject } from '../../api/delete.js';
import { formatSeconds, textsAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';
import { controller } from '../identity.js';
import { Worker } from '../worker.js';
import { terminatingStatus, type Remainder } from './conditions.js';

/**
 * Deletes the content of namespaces that are being deleted, and then the namespaces. Returns a function that stops the
 * controller.
 *
 * @param graceMs delay between the request to delete a namespace and the deletion of its content.
 */
export function watchNamespaceDeletion(cluster: Cluster, graceMs: number): () => void {
  const { store } = cluster;
  const isGoing = (name: string): boolean =>
    store.get('namespaces', name)?.object.metadata.deletionTimestamp !== undefined;
  /* Whether the grace period of a namespace that is being deleted has ended, by name. */
  const graces = new Map<string, boolean>();
  const worker = new Worker(cluster.clock, async (name) => {
    if (!isGoing(name)) return;
    graces.set(name, true);
    await sync(cluster, name);
  });
  const add = (name: string): void => {
    if (!isGoing(name)) graces.delete(name);
    else if (graces.get(name) === true) worker.add(name);
    else if (!graces.has(name)) {
      graces.set(name, false);
      worker.addAfter(name, graceMs);
    }
  };
  for (const { object } of store.entries('namespaces')) add(object.metadata.name);
  const unsubscribe = store.subscribe(({ entry }) => {
    const name = entry.collection === 'namespaces' ? entry.key : entry.namespace;
    if (name !== '') add(name);
  });
  return () => {
    unsubscribe();
    worker.stop();
  };
}

async function sync(cluster: Cluster, name: string): Promise<void> {
  const remainder = await empty(cluster, cluster.registry.collections(), name);
  const namespace = cluster.store.get('namespaces', name)?.object;
  if (namespace === undefined) return;
  const status = terminatingStatus(namespace, remainder, formatSeconds(cluster.now()));
  if (remainder.objects.length === 0 && remainder.errors.length === 0) release(cluster, namespace, status);
  else replace(cluster, namespace, { ...namespace, status });
  if (remainder.errors.length > 0) throw new Error(remainder.errors.join());
}

/**
 * Deletes all objects in a namespace, and returns the remaining ones. For a resource that cannot be emptied, returns
 * only the error.
 */
async function empty(
  cluster: Cluster,
  resources: readonly Resource[],
  namespace: string,
): Promise<Remainder> {
  const { store } = cluster;
  const namespaced = resources.filter((resource) => resource.namespaced);
  const errors: string[] = [];
  const emptied: Resource[] = [];
  for (const resource of namespaced) {
    const error = await deleteAll(cluster, resource, namespace);
    if (error === undefined) emptied.push(resource);
    else errors.push(error);
  }
  const objects = emptied.flatMap(({ plural, group, collection }) =>
    store.entries(collection, namespace).map(({ object }) => ({
      resource: `${plural}.${group}`,
      finalizers: object.metadata.finalizers ?? [],
    })),
  );
  return { objects, errors };
}

/** Returns the reason of the first object that cannot be deleted. */
async function deleteAll(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
): Promise<string | undefined> {
  let failure: string | undefined;
  for (const { object } of cluster.store.entries(resource.collection, namespace)) {
    const { name, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) continue;
    try {
      const background = { propagationPolicy: 'Background' as const };
      await deleteObject(cluster, resource, { namespace, name }, background, controller);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code !== 404) failure ??= error.message;
    }
  }
  return failure;
}

/** Removes `kubernetes` from the finalizers of the namespace, which is deleted if none is left. */
function release(cluster: Cluster, namespace: KubeObject, status: JsonObject): void {
  const { name, resourceVersion, finalizers = [] } = namespace.metadata;
  const held = textsAt(namespace, 'spec', 'finalizers').filter((finalizer) => finalizer !== 'kubernetes');
  if (held.length === 0 && finalizers.length === 0) {
    cluster.store.delete('namespaces', name, Number(resourceVersion));
    return;
  }
  replace(cluster, namespace, { ...namespace, status, spec: held.length === 0 ? {} : { finalizers: held } });
}

function replace({ store }: Cluster, namespace: KubeObject, next: KubeObject): void {
  if (jsonEqual(namespace, next)) return;
  const { name, resourceVersion } = namespace.metadata;
  store.put('namespaces', name, next, Number(resourceVersion));
}
