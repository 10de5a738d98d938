import type { Cluster } from '../../api/cluster.js';
import { updateObject } from '../../api/update.js';
import { podDisruptionBudget } from '../../builtin/pod-disruption-budget.js';
import { valueAt, type KubeObject, type OwnerReference } from '../../object.js';
import { pathKeys } from '../../registry/scaled.js';
import { keyOf, type StoreEvent } from '../../store/entry.js';
import { record } from '../events.js';
import { controller } from '../identity.js';
import { runController } from '../keyed-controller.js';
import { controllerOf } from '../ownership.js';
import { quietly } from '../quietly.js';
import { decide, podTest, type Scale } from './decide.js';

/** Updates the status of PodDisruptionBudgets. Returns a function that stops the controller. */
export function startDisruption(cluster: Cluster): () => void {
  return runController(cluster, {
    collection: podDisruptionBudget.collection,
    keysOf: (event) => keysOf(cluster, event),
    sync: (key) => sync(cluster, key),
  });
}

function keysOf({ store }: Cluster, { entry, previous }: StoreEvent): string[] {
  if (entry.collection === podDisruptionBudget.collection) return [entry.key];
  if (entry.collection !== 'pods') return [];
  const versions = previous === undefined ? [entry] : [entry, previous];
  return store
    .entries(podDisruptionBudget.collection, entry.namespace)
    .filter((budget) => versions.map(({ object }) => object.metadata.labels).some(podTest(budget.object)))
    .map(({ key }) => key);
}

async function sync(cluster: Cluster, key: string): Promise<number | undefined> {
  const { store, now } = cluster;
  const budget = store.get(podDisruptionBudget.collection, key)?.object;
  if (budget === undefined) return undefined;
  const { name, namespace = '' } = budget.metadata;
  const isFor = podTest(budget);
  const pods = store
    .entries('pods', namespace)
    .map(({ object }) => object)
    .filter(({ metadata }) => isFor(metadata.labels));
  const find = (owner: OwnerReference): Scale => scaleOf(cluster, namespace, owner);
  const { status, isChanged, problem, recheckMs } = decide({ budget, pods, scaleOf: find, now: now() });
  if (!isChanged) return recheckMs;
  /* The status applies only to this version. A budget that changed meanwhile is processed again. */
  const change = (live: KubeObject): KubeObject => ({ ...live, metadata: budget.metadata, status });
  const update = { namespace, name, subresource: 'status', change };
  await quietly(() => updateObject(cluster, podDisruptionBudget, update, controller));
  await report(cluster, budget, pods.length, problem);
  return recheckMs;
}

async function report(
  cluster: Cluster,
  regarding: KubeObject,
  pods: number,
  problem: string | undefined,
): Promise<void> {
  const component = 'controllermanager';
  if (pods === 0) {
    const note = 'No matching pods found';
    await record(cluster, { regarding, component, type: 'Normal', reason: 'NoPods', note });
  }
  if (problem === undefined) return;
  const reason = 'CalculateExpectedPodCountFailed';
  const note = `Failed to calculate the number of expected pods: ${problem}`;
  await record(cluster, { regarding, component, type: 'Warning', reason, note });
}

/** Returns the scale of a controller, or for a ReplicaSet of a Deployment, the scale of the Deployment. */
function scaleOf(cluster: Cluster, namespace: string, owner: OwnerReference): Scale {
  const { store, registry } = cluster;
  const resource = registry.byKind(owner.apiVersion, owner.kind);
  if (resource === undefined) return undefined;
  const found = store.get(resource.collection, keyOf(namespace, owner.name))?.object;
  if (found?.metadata.uid !== owner.uid) return undefined;
  if (resource.scale === undefined) {
    const name = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
    return { problem: `${name} does not implement the scale subresource` };
  }
  const above = controllerOf(found);
  if (owner.kind === 'ReplicaSet' && above?.kind === 'Deployment') return scaleOf(cluster, namespace, above);
  const replicas = valueAt(found, ...pathKeys(resource.scale.specReplicasPath));
  return { uid: owner.uid, replicas: typeof replicas === 'number' ? replicas : 0 };
}
