import type { Cluster } from '../../api/cluster.js';
import { objectAt, type KubeObject } from '../../object.js';
import { keyOf, type StoreEvent } from '../../store/entry.js';
import { record } from '../events.js';
import { runController } from '../keyed-controller.js';
import { addController, claim, controllerOf, removeOwner, selects } from '../ownership.js';
import { isFinished } from '../pod-state.js';
import { podOf } from '../pod-template.js';
import { changeAs, createAs, deleteAs, isNamespaceTerminating, writeStatus } from '../writes.js';
import {
  decide,
  statusOf,
  type ReplicaFailure,
  type ReplicaSetPlan,
  type ReplicaSetState,
} from './decide.js';

const collection = 'replicasets.apps';
const component = 'replicaset-controller';

/** Keeps as many pods as each ReplicaSet asks for. Returns what ends it. */
export function startReplicaSets(cluster: Cluster): () => void {
  return runController(cluster, {
    collection,
    keysOf: (event) => keysOf(cluster, event),
    sync: (key) => sync(cluster, key),
  });
}

function keysOf({ store }: Cluster, { entry, previous }: StoreEvent): string[] {
  if (entry.collection === collection) return [entry.key];
  if (entry.collection !== 'pods') return [];
  const keys = [entry.object, ...(previous === undefined ? [] : [previous.object])].flatMap((pod) => {
    const owner = controllerOf(pod);
    return owner?.kind === 'ReplicaSet' ? [keyOf(pod.metadata.namespace, owner.name)] : [];
  });
  if (controllerOf(entry.object) !== undefined) return keys;
  const adopters = store
    .entries(collection, entry.namespace)
    .filter(({ object }) => selects(object, entry.object));
  return [...keys, ...adopters.map(({ key }) => key)];
}

async function sync(cluster: Cluster, key: string): Promise<number | undefined> {
  const replicaSet = cluster.store.get(collection, key)?.object;
  if (replicaSet === undefined) return undefined;
  const state = await observe(cluster, replicaSet);
  const plan = decide(state);
  const problem = await carryOut(cluster, replicaSet, plan);
  const status = statusOf(state, problem?.failure);
  await writeStatus(cluster, 'replicasets', replicaSet, status);
  if (problem !== undefined) throw problem.error;
  return plan.waitMs;
}

async function observe(cluster: Cluster, replicaSet: KubeObject): Promise<ReplicaSetState> {
  const namespace = replicaSet.metadata.namespace ?? '';
  const all = cluster.store.entries('pods', namespace).map(({ object }) => object);
  const candidates = all.filter((pod) => !isFinished(pod));
  const { owned, adopt, release } = claim(replicaSet, candidates);
  for (const pod of adopt) await changeAs(cluster, 'pods', pod, (live) => addController(live, replicaSet));
  for (const pod of release) {
    await changeAs(cluster, 'pods', pod, (live) => removeOwner(live, replicaSet.metadata.uid));
  }
  const owners = siblings(cluster, replicaSet);
  const related = candidates.filter((pod) => owners.has(controllerOf(pod)?.uid));
  return { replicaSet, pods: owned, related, now: cluster.clock.now() };
}

/** Returns the uids of the ReplicaSets with the same owner. */
function siblings({ store }: Cluster, replicaSet: KubeObject): Set<string | undefined> {
  const owner = controllerOf(replicaSet)?.uid;
  const all = store.entries(collection, replicaSet.metadata.namespace).map(({ object }) => object);
  const same = all.filter((one) => owner !== undefined && controllerOf(one)?.uid === owner);
  return new Set([replicaSet, ...same].map(({ metadata }) => metadata.uid));
}

interface Problem {
  error: unknown;
  failure: ReplicaFailure;
}

/** Creates and deletes pods until one is refused; returns why. */
async function carryOut(
  cluster: Cluster,
  replicaSet: KubeObject,
  { create, remove }: ReplicaSetPlan,
): Promise<Problem | undefined> {
  const report = (type: 'Normal' | 'Warning', reason: string, note: string): Promise<void> =>
    record(cluster, { regarding: replicaSet, type, reason, note, component });
  const pod = podOf(replicaSet, objectAt(replicaSet, 'spec', 'template'));
  for (let index = 0; index < create; index += 1) {
    try {
      const created = await createAs(
        cluster,
        'pods',
        replicaSet.metadata.namespace ?? '',
        structuredClone(pod),
      );
      await report('Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      const message = error instanceof Error ? error.message : String(error);
      await report('Warning', 'FailedCreate', `Error creating: ${message}`);
      return { error, failure: { reason: 'FailedCreate', message } };
    }
  }
  for (const one of remove) {
    const { name } = one.metadata;
    try {
      if (await deleteAs(cluster, 'pods', one))
        await report('Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      await report('Warning', 'FailedDelete', `Error deleting: ${message}`);
      return { error, failure: { reason: 'FailedDelete', message } };
    }
  }
  return undefined;
}
