import { formatSeconds, objectAt, objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { isActive, isReady, isTerminating, numberAt, untilAvailable } from '../pod-state.js';
import { podsToRemove } from './removal-order.js';

/** Maximum number of pods that one pass creates or deletes. */
const maxPerPass = 500;

/** The inputs of a decision about a ReplicaSet. */
export interface ReplicaSetState {
  replicaSet: KubeObject;
  /** The pods that the ReplicaSet owns. */
  pods: readonly KubeObject[];
  /** The pods of all ReplicaSets with the same owner, including the pods of this one. */
  related: readonly KubeObject[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** The changes of the pods of a ReplicaSet. */
export interface ReplicaSetPlan {
  create: number;
  remove: KubeObject[];
  /** Milliseconds until a ready pod becomes available; undefined if no ready pod is still unavailable. */
  waitMs: number | undefined;
}

/** Returns the pods to create and to delete. Source: Kubernetes pkg/controller/replicaset, manageReplicas. */
export function decide({ replicaSet, pods, related, now }: ReplicaSetState): ReplicaSetPlan {
  const active = pods.filter(isActive);
  const waitMs = nextAvailability(replicaSet, active, now);
  if (replicaSet.metadata.deletionTimestamp !== undefined) return { create: 0, remove: [], waitMs };
  const missing = numberAt(replicaSet, ['spec', 'replicas'], 1) - active.length;
  if (missing >= 0) return { create: Math.min(missing, maxPerPass), remove: [], waitMs };
  const count = Math.min(-missing, maxPerPass);
  return { create: 0, remove: podsToRemove(active, count, related.filter(isActive), now), waitMs };
}

function minReadySeconds(replicaSet: KubeObject): number {
  return numberAt(replicaSet, ['spec', 'minReadySeconds']);
}

function nextAvailability(
  replicaSet: KubeObject,
  active: readonly KubeObject[],
  now: number,
): number | undefined {
  const waits = active
    .map((pod) => untilAvailable(pod, minReadySeconds(replicaSet), now) ?? 0)
    .filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** The reason why pods could not be created or deleted. */
export interface ReplicaFailure {
  reason: 'FailedCreate' | 'FailedDelete';
  message: string;
}

/**
 * Returns the status of a ReplicaSet whose pods were observed before this pass changed them.
 *
 * @param failure the failure of this pass
 */
export function statusOf(
  { replicaSet, pods, now }: ReplicaSetState,
  failure: ReplicaFailure | undefined,
): JsonObject {
  const active = pods.filter(isActive);
  const template = Object.entries(objectAt(replicaSet, 'spec', 'template', 'metadata', 'labels'));
  const isFullyLabeled = ({ metadata }: KubeObject): boolean =>
    template.every(([key, value]) => metadata.labels?.[key] === value);
  const isAvailable = (pod: KubeObject): boolean =>
    untilAvailable(pod, minReadySeconds(replicaSet), now) === 0;
  const counts: JsonObject = {
    fullyLabeledReplicas: active.filter(isFullyLabeled).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter(isAvailable).length,
  };
  const conditions = conditionsOf(replicaSet, failure, now);
  return {
    replicas: active.length,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    terminatingReplicas: pods.filter(isTerminating).length,
    observedGeneration: replicaSet.metadata.generation ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
}

/** Returns the conditions with the failure, or without one. A failure that lasts keeps its first condition. */
function conditionsOf(
  replicaSet: KubeObject,
  failure: ReplicaFailure | undefined,
  now: number,
): JsonObject[] {
  const present = objectsAt(replicaSet, 'status', 'conditions');
  const others = present.filter(({ type }) => type !== 'ReplicaFailure');
  if (failure === undefined) return others;
  if (others.length < present.length) return present;
  const lastTransitionTime = formatSeconds(new Date(now));
  return [...others, { type: 'ReplicaFailure', status: 'True', lastTransitionTime, ...failure }];
}
