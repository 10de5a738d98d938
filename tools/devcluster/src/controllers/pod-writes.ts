import { ApiError } from '../api/api-error.js';
import type { Cluster, WriteContext } from '../api/cluster.js';
import { deleteObject } from '../api/delete.js';
import { updateObject } from '../api/update.js';
import { podKind } from '../builtin/pod/kind.js';
import { formatSeconds, objectAt, objectsAt, textAt, type KubeObject } from '../object.js';
import { jsonEqual } from '../schema/json.js';
import type { JsonObject } from '../schema/types.js';
import { withPodCondition, type NewCondition } from './conditions.js';

/** Returns the pods that are bound to a node. */
export function podsOnNode({ store }: Cluster, node: string): KubeObject[] {
  return store
    .entries('pods')
    .map(({ object }) => object)
    .filter((pod) => textAt(pod, 'spec', 'nodeName') === node);
}

/** Writes the status of a pod if it changes. Ignores a pod that was deleted or recreated. */
export async function writePodStatus(
  cluster: Cluster,
  pod: KubeObject,
  statusOf: (live: KubeObject) => JsonObject,
  context: WriteContext,
): Promise<void> {
  const { name, namespace = '', uid } = pod.metadata;
  const change = (live: KubeObject): KubeObject => {
    if (live.metadata.uid !== uid) return live;
    const status = statusOf(live);
    return jsonEqual(status, live['status']) ? live : { ...live, status };
  };
  await unlessGone(
    updateObject(cluster, podKind, { namespace, name, subresource: 'status', change }, context),
  );
}

/** Sets a condition of a pod. */
export function writePodCondition(
  cluster: Cluster,
  pod: KubeObject,
  condition: NewCondition,
  context: WriteContext,
): Promise<void> {
  const now = formatSeconds(cluster.now());
  const statusOf = (live: KubeObject): JsonObject => ({
    ...objectAt(live, 'status'),
    conditions: withPodCondition(objectsAt(live, 'status', 'conditions'), condition, now),
  });
  return writePodStatus(cluster, pod, statusOf, context);
}

/** Deletes a pod if it exists. `gracePeriodSeconds` overrides its own grace period. */
export async function deletePod(
  cluster: Cluster,
  { metadata }: KubeObject,
  gracePeriodSeconds: number | undefined,
  context: WriteContext,
): Promise<void> {
  const { name, namespace = '', uid } = metadata;
  const options = {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(uid !== undefined && { preconditions: { uid } }),
  };
  await unlessGone(deleteObject(cluster, podKind, { namespace, name }, options, context));
}

async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error;
  }
}
