import type { Cluster } from '../../api/cluster.js';
import { errorText } from '../../error-text.js';
import { podKind } from '../../builtin/pod/kind.js';
import { replicaSetKind } from '../../builtin/replica-set.js';
import { objectAt, type KubeObject } from '../../object.js';
import type { StoreEvent } from '../../store/entry.js';
import { record } from '../events.js';
import { runController } from '../keyed-controller.js';
import { controllerOf, ownerKeys } from '../ownership.js';
import { isFinished } from '../pod-state.js';
import { podOf } from '../pod-template.js';
import { claimAs, createAs, deleteAs, isNamespaceTerminating, writeStatus } from '../writes.js';
import {
  decide,
  statusOf,
  type ReplicaFailure,
  type ReplicaSetPlan,
  type ReplicaSetState,
} from './decide.js';

const { collection } = replicaSetKind;
const component = 'replicaset-controller';

/** Maintains the number of pods of each ReplicaSet. Returns a function that stops the controller. */
export function startReplicaSets(cluster: Cluster): () => void {
  return runController(cluster, {
    collection,
    keysOf: (event) => keysOf(cluster, event),
    sync: (key) => sync(cluster, key),
  });
}

function keysOf({ store }: Cluster, event: StoreEvent): string[] {
  const { entry } = event;
  if (entry.collection === collection) return [entry.key];
  return entry.collection === 'pods' ? ownerKeys(store, replicaSetKind, event) : [];
}

async function sync(cluster: Cluster, key: string): Promise<number | undefined> {
  const replicaSet = cluster.store.get(collection, key)?.object;
  if (replicaSet === undefined) return undefined;
  const state = await observe(cluster, replicaSet);
  const plan = decide(state);
  const problem = await carryOut(cluster, replicaSet, plan);
  const status = statusOf(state, problem?.failure);
  await writeStatus(cluster, replicaSetKind, replicaSet, status);
  if (problem !== undefined) throw problem.error;
  return plan.waitMs;
}

async function observe(cluster: Cluster, replicaSet: KubeObject): Promise<ReplicaSetState> {
  const namespace = replicaSet.metadata.namespace ?? '';
  const all = cluster.store.entries('pods', namespace).map(({ object }) => object);
  const candidates = all.filter((pod) => !isFinished(pod));
  const owned = await claimAs(cluster, podKind, replicaSet, candidates);
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

/** Creates and deletes pods until one is refused. Returns the reason of the refusal. */
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
        podKind,
        replicaSet.metadata.namespace ?? '',
        structuredClone(pod),
      );
      await report('Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      const message = errorText(error);
      await report('Warning', 'FailedCreate', `Error creating: ${message}`);
      return { error, failure: { reason: 'FailedCreate', message } };
    }
  }
  for (const one of remove) {
    const { name } = one.metadata;
    try {
      if (await deleteAs(cluster, podKind, one))
        await report('Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      const message = errorText(error);
      await report('Warning', 'FailedDelete', `Error deleting: ${message}`);
      return { error, failure: { reason: 'FailedDelete', message } };
    }
  }
  return undefined;
}
