import { ApiError } from '../api/api-error.js';
import type { Cluster } from '../api/cluster.js';
import { deleteObject } from '../api/delete.js';
import { formatSeconds, objectAt, objectsAt, textsAt, type KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { jsonEqual } from '../schema/json.js';
import type { JsonObject } from '../schema/types.js';
import { RevisionError } from '../store/errors.js';
import { CONTROLLER } from './identity.js';
import { Worker } from './worker.js';

/** Deletes what is in namespaces that are going, then lets them go. Returns what ends it. */
export function watchNamespaceDeletion(cluster: Cluster): () => void {
  const { store } = cluster;
  const worker = new Worker((name) => sync(cluster, name));
  const isGoing = (name: string): boolean =>
    store.get('namespaces', name)?.object.metadata.deletionTimestamp !== undefined;
  for (const { object } of store.entries('namespaces')) {
    if (isGoing(object.metadata.name)) worker.add(object.metadata.name);
  }
  const unsubscribe = store.subscribe(({ entry }) => {
    const name = entry.collection === 'namespaces' ? entry.key : entry.namespace;
    if (name !== '' && isGoing(name)) worker.add(name);
  });
  return () => {
    unsubscribe();
    worker.stop();
  };
}

async function sync(cluster: Cluster, name: string): Promise<void> {
  const { store, registry } = cluster;
  if (store.get('namespaces', name)?.object.metadata.deletionTimestamp === undefined) return;
  const resources = registry.collections().filter((resource) => resource.namespaced);
  for (const resource of resources) await empty(cluster, resource, name);
  const left = resources.flatMap((resource) =>
    store.entries(resource.collection, name).map(({ object }) => ({ resource, object })),
  );
  const entry = store.get('namespaces', name);
  if (entry === undefined) return;
  if (left.length > 0) {
    const status = waitingStatus(entry.object, left, formatSeconds(cluster.now()));
    if (!jsonEqual(status, entry.object['status'])) put(cluster, entry.object, { ...entry.object, status });
    return;
  }
  release(cluster, entry.object);
}

async function empty(cluster: Cluster, resource: Resource, namespace: string): Promise<void> {
  for (const { object } of cluster.store.entries(resource.collection, namespace)) {
    const { name, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) continue;
    try {
      await deleteObject(
        cluster,
        resource,
        { namespace, name },
        { propagationPolicy: 'Background' },
        CONTROLLER,
      );
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }
}

/** Takes `kubernetes` off the namespace's finalizers; with nothing left it goes. */
function release(cluster: Cluster, namespace: KubeObject): void {
  const { name, resourceVersion, finalizers = [] } = namespace.metadata;
  const held = textsAt(namespace, 'spec', 'finalizers').filter((finalizer) => finalizer !== 'kubernetes');
  if (held.length === 0 && finalizers.length === 0) {
    cluster.store.delete('namespaces', name, Number(resourceVersion));
    return;
  }
  const spec = held.length === 0 ? {} : { finalizers: held };
  if (!jsonEqual(spec, objectAt(namespace, 'spec'))) put(cluster, namespace, { ...namespace, spec });
}

function put({ store }: Cluster, old: KubeObject, object: KubeObject): void {
  const { name, resourceVersion } = old.metadata;
  try {
    store.put('namespaces', name, object, Number(resourceVersion));
  } catch (error) {
    /* The change that came between brings the namespace here again. */
    if (!(error instanceof RevisionError)) throw error;
  }
}

interface Left {
  resource: Resource;
  object: KubeObject;
}

/** What a deletion waits for, in the words of the namespace controller. */
function waitingStatus(namespace: KubeObject, left: readonly Left[], now: string): JsonObject {
  const before = objectsAt(namespace, 'status', 'conditions');
  const condition = (type: string, status: string, reason: string, message: string): JsonObject => {
    const same = before.find((one) => one['type'] === type && one['status'] === status);
    return { type, status, lastTransitionTime: same?.['lastTransitionTime'] ?? now, reason, message };
  };
  const byResource = counted(
    left.map(({ resource }) =>
      resource.group === '' ? `${resource.plural}.` : `${resource.plural}.${resource.group}`,
    ),
  );
  const byFinalizer = counted(left.flatMap(({ object }) => object.metadata.finalizers ?? []));
  const content = byResource.map(([name, count]) => `${name} has ${String(count)} resource instances`);
  const finalizers = byFinalizer.map(([name, count]) => `${name} in ${String(count)} resource instances`);
  const allClear = 'All resources successfully discovered';
  return {
    phase: 'Terminating',
    conditions: [
      condition('NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', allClear),
      condition(
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
      ),
      condition(
        'NamespaceDeletionContentFailure',
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      ),
      condition(
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        `Some resources are remaining: ${content.join(', ')}`,
      ),
      finalizers.length > 0
        ? condition(
            'NamespaceFinalizersRemaining',
            'True',
            'SomeFinalizersRemain',
            `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`,
          )
        : condition(
            'NamespaceFinalizersRemaining',
            'False',
            'ContentHasNoFinalizers',
            'All content-preserving finalizers finished',
          ),
    ],
  };
}

function counted(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
