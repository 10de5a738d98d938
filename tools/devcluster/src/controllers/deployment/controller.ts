import { ApiError } from '../../api/api-error.js';
import type { Cluster } from '../../api/cluster.js';
import { deploymentKind } from '../../builtin/deployment/kind.js';
import { replicaSetKind } from '../../builtin/replica-set.js';
import { errorText } from '../../error-text.js';
import { objectAt, objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { keyOf, type StoreEvent } from '../../store/entry.js';
import { record } from '../events.js';
import { runController } from '../keyed-controller.js';
import { controllerOf, ownerKeys } from '../ownership.js';
import { numberAt } from '../pod-state.js';
import { changeAs, claimAs, createAs, deleteAs, isNamespaceTerminating, writeStatus } from '../writes.js';
import { newCondition, setCondition } from './conditions.js';
import { decide, type DeploymentPlan, type DeploymentState } from './decide.js';
import type { Member } from './draft.js';
import { isRolling, progressDeadlineOf } from './limits.js';

const { collection } = deploymentKind;
const replicaSets = replicaSetKind.collection;
const component = 'deployment-controller';

/** Rolls out each Deployment. Returns a function that stops the controller. */
export function startDeployments(cluster: Cluster): () => void {
  return runController(cluster, {
    collection,
    keysOf: (event) => keysOf(cluster, event),
    sync: (key) => sync(cluster, key),
  });
}

function keysOf({ store }: Cluster, event: StoreEvent): string[] {
  const { type, entry } = event;
  switch (entry.collection) {
    case collection:
      return [entry.key];
    case replicaSets:
      return ownerKeys(store, deploymentKind, event);
    case 'pods': {
      /* A Recreate waits until the last pod is removed. */
      const owner = type === 'DELETED' ? controllerOf(entry.object) : undefined;
      const replicaSet = owner && store.get(replicaSets, keyOf(entry.namespace, owner.name));
      const above = replicaSet && controllerOf(replicaSet.object);
      return above?.kind === deploymentKind.kind ? [keyOf(entry.namespace, above.name)] : [];
    }
    default:
      return [];
  }
}

async function sync(cluster: Cluster, key: string): Promise<number | undefined> {
  const deployment = cluster.store.get(collection, key)?.object;
  if (deployment === undefined) return undefined;
  const state = await observe(cluster, deployment);
  const plan = decide(state);
  if (plan.create !== undefined && !(await createReplicaSet(cluster, deployment, plan.create)))
    return undefined;
  await carryOut(cluster, deployment, plan);
  await writeStatus(cluster, deploymentKind, deployment, plan.status, plan.annotations);
  return plan.waitMs;
}

async function observe(cluster: Cluster, deployment: KubeObject): Promise<DeploymentState> {
  const { namespace = '' } = deployment.metadata;
  const candidates = cluster.store.entries(replicaSets, namespace).map(({ object }) => object);
  const owned = await claimAs(cluster, replicaSetKind, deployment, candidates);
  const uids = new Set(owned.map(({ metadata }) => metadata.uid));
  /* Only a Recreate waits for pods; a rolling update follows the status of the ReplicaSets. */
  const pods = isRolling(deployment) ? [] : cluster.store.entries('pods', namespace);
  const ownPods = pods.map(({ object }) => object).filter((pod) => uids.has(controllerOf(pod)?.uid));
  return { deployment, replicaSets: owned, pods: ownPods, now: cluster.clock.now() };
}

async function carryOut(
  cluster: Cluster,
  deployment: KubeObject,
  { change, remove, notes }: DeploymentPlan,
): Promise<void> {
  for (const member of change) {
    await changeAs(cluster, replicaSetKind, member.object, (live) => {
      Object.assign(objectAt(live, 'spec'), {
        replicas: member.replicas,
        ...(member.minReadySeconds > 0 && { minReadySeconds: member.minReadySeconds }),
      });
      if (member.minReadySeconds === 0) Reflect.deleteProperty(objectAt(live, 'spec'), 'minReadySeconds');
      live.metadata.annotations = { ...live.metadata.annotations, ...member.annotations };
    });
  }
  for (const note of notes) {
    await record(cluster, {
      regarding: deployment,
      type: 'Normal',
      reason: 'ScalingReplicaSet',
      note,
      component,
    });
  }
  for (const replicaSet of remove) await deleteAs(cluster, replicaSetKind, replicaSet);
}

/**
 * Returns whether the ReplicaSet exists now. Otherwise the status states why, and the change of the status triggers the
 * next pass.
 */
async function createReplicaSet(cluster: Cluster, deployment: KubeObject, member: Member): Promise<boolean> {
  const { object, replicas, annotations } = member;
  const { namespace = '' } = deployment.metadata;
  const created: KubeObject = {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations } },
    spec: { ...objectAt(object, 'spec'), replicas },
  };
  try {
    await createAs(cluster, replicaSetKind, namespace, created);
    return true;
  } catch (error) {
    if (isNamespaceTerminating(error)) return false;
    if (error instanceof ApiError && error.reason === 'AlreadyExists') {
      const collisionCount = numberAt(deployment, ['status', 'collisionCount']) + 1;
      await writeStatus(cluster, deploymentKind, deployment, {
        ...objectAt(deployment, 'status'),
        collisionCount,
      });
      return false;
    }
    await reportRefusal(cluster, deployment, object.metadata.name, error);
    throw error;
  }
}

async function reportRefusal(
  cluster: Cluster,
  deployment: KubeObject,
  name: string,
  error: unknown,
): Promise<void> {
  const note = `Failed to create new replica set "${name}": ${errorText(error)}`;
  const reason = 'ReplicaSetCreateError';
  await record(cluster, { regarding: deployment, type: 'Warning', reason, note, component });
  if (progressDeadlineOf(deployment) === undefined) return;
  const condition = newCondition('Progressing', 'False', reason, note, cluster.clock.now());
  const status: JsonObject = {
    ...objectAt(deployment, 'status'),
    conditions: setCondition(objectsAt(deployment, 'status', 'conditions'), condition),
  };
  await writeStatus(cluster, deploymentKind, deployment, status);
}
