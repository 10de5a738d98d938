import { objectAt, valueAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';
import { controllerOf } from '../ownership.js';
import { isFinished, numberAt } from '../pod-state.js';
import { revisionAnnotation, revisionOf, type Annotations } from './annotations.js';
import { findCondition, newCondition, setCondition } from './conditions.js';
import {
  draftOf,
  membersOf,
  newestSize,
  resize,
  statusSum,
  syncNewest,
  totalOf,
  type Draft,
  type Member,
} from './draft.js';
import { isRolling, progressDeadlineOf } from './limits.js';
import { isScalingEvent, scale } from './scale.js';
import { isComplete, rolloutStatusOf, statusOf, untilOverdue } from './status.js';

/** The inputs of a decision about a Deployment. */
export interface DeploymentState {
  deployment: KubeObject;
  /** The ReplicaSets that the Deployment owns. */
  replicaSets: readonly KubeObject[];
  /** The pods of these ReplicaSets, which only a Recreate needs. */
  pods: readonly KubeObject[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** The writes, in this order. */
export interface DeploymentPlan {
  create: Member | undefined;
  change: Member[];
  remove: KubeObject[];
  /** Texts of the Events about sizes. */
  notes: string[];
  status: JsonObject;
  /** Annotations that are written to the Deployment with its status. */
  annotations: Annotations;
  /** Milliseconds until the rollout is overdue; undefined when no rollout is in progress. */
  waitMs: number | undefined;
}

/**
 * Returns the changes of one pass for a Deployment. Each pass makes at most one step of a rollout, whose changes
 * trigger the next pass. Source: Kubernetes pkg/controller/deployment, syncDeployment.
 */
export function decide({ deployment, replicaSets, pods, now }: DeploymentState): DeploymentPlan {
  const draft = draftOf(deployment, replicaSets, now);
  const isPaused = valueAt(deployment, 'spec', 'paused') === true;
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return planOf(draft, [], statusOf(draft), false);
  }
  notePause(draft, isPaused);
  if (isPaused || isScalingEvent(draft)) {
    syncNewest(draft, false);
    scale(draft);
    return planOf(draft, isPaused ? outdated(draft) : [], statusOf(draft), false);
  }
  const settled = isRolling(deployment) ? roll(draft) : recreate(draft, pods);
  const isDone = settled && isComplete(draft, objectAt(deployment, 'status'));
  return planOf(draft, isDone ? outdated(draft) : [], rolloutStatusOf(draft), true);
}

function planOf(draft: Draft, remove: KubeObject[], status: JsonObject, isRollout: boolean): DeploymentPlan {
  const { newest } = draft;
  const revision = newest === undefined ? 0 : revisionOf(newest.annotations);
  return {
    create: newest?.isCreated === true ? newest : undefined,
    change: membersOf(draft).filter((member) => !member.isCreated && isChanged(member)),
    remove,
    notes: draft.notes,
    status,
    annotations: revision === 0 ? {} : { [revisionAnnotation]: String(revision) },
    waitMs: isRollout ? untilOverdue(draft, status) : undefined,
  };
}

function isChanged({ object, replicas, annotations, minReadySeconds }: Member): boolean {
  return (
    numberAt(object, ['spec', 'replicas'], 1) !== replicas ||
    numberAt(object, ['spec', 'minReadySeconds']) !== minReadySeconds ||
    !jsonEqual(object.metadata.annotations ?? {}, annotations)
  );
}

/**
 * Records in the conditions that a rollout is paused or resumed, so that a paused rollout does not count as a rollout
 * without progress.
 */
function notePause(draft: Draft, isPaused: boolean): void {
  const present = findCondition(draft.conditions, 'Progressing')?.['reason'];
  const hasDeadline = progressDeadlineOf(draft.deployment) !== undefined;
  if (!hasDeadline || present === 'ProgressDeadlineExceeded') return;
  if (isPaused === (present === 'DeploymentPaused')) return;
  const [reason, message] = isPaused
    ? ['DeploymentPaused', 'Deployment is paused']
    : ['DeploymentResumed', 'Deployment is resumed'];
  const condition = newCondition('Progressing', 'Unknown', reason, message, draft.now);
  draft.conditions = setCondition(draft.conditions, condition);
}

/** Makes a step of a rolling update. Returns whether no step was needed. */
function roll(draft: Draft): boolean {
  syncNewest(draft, true);
  const { newest, limits } = draft;
  if (newest === undefined) return true;
  const size = newest.replicas > limits.replicas ? limits.replicas : newestSize(draft);
  if (!newest.isCreated && resize(draft, newest, size)) return false;
  return !shrinkOlder(draft, newest);
}

/** Scales old ReplicaSets down as far as enough pods stay available: first the pods that are not available anyway. */
function shrinkOlder(draft: Draft, newest: Member): boolean {
  const { limits, older } = draft;
  if (totalOf(older) === 0) return false;
  const minAvailable = limits.replicas - limits.maxUnavailable;
  const unavailable = newest.replicas - statusSum([newest], 'availableReplicas');
  const removable = totalOf(membersOf(draft)) - minAvailable - unavailable;
  if (removable <= 0) return false;
  let left = removable;
  let changed = false;
  for (const member of older) {
    const unhealthy = member.replicas - statusSum([member], 'availableReplicas');
    const count = Math.max(0, Math.min(left, unhealthy));
    left -= count;
    if (resize(draft, member, member.replicas - count)) changed = true;
  }
  let spare = statusSum(membersOf(draft), 'availableReplicas') - minAvailable;
  for (const member of older) {
    const count = Math.max(0, Math.min(spare, member.replicas));
    spare -= count;
    if (resize(draft, member, member.replicas - count)) changed = true;
  }
  return changed;
}

/**
 * Makes a step of a Recreate: new pods are created only when no old pod is left. Returns whether no step was needed.
 */
function recreate(draft: Draft, pods: readonly KubeObject[]): boolean {
  syncNewest(draft, false);
  const shrunk = draft.older.filter((member) => resize(draft, member, 0));
  if (shrunk.length > 0 || hasOldPods(draft, pods)) return false;
  if (draft.newest === undefined) syncNewest(draft, true);
  const { newest, limits } = draft;
  return newest === undefined || newest.isCreated || !resize(draft, newest, limits.replicas);
}

function hasOldPods({ older, newest }: Draft, pods: readonly KubeObject[]): boolean {
  if (statusSum(older, 'replicas') > 0) return true;
  return pods.some((pod) => controllerOf(pod)?.uid !== newest?.object.metadata.uid && !isFinished(pod));
}

/** Returns the old ReplicaSets without pods that exceed the limit of the history. Source: cleanupDeployment. */
function outdated({ deployment, older }: Draft): KubeObject[] {
  const limit = numberAt(deployment, ['spec', 'revisionHistoryLimit'], 2 ** 31 - 1);
  const kept = older.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
  const excess = [...kept]
    .sort((a, b) => revisionOf(a.annotations) - revisionOf(b.annotations))
    .slice(0, Math.max(0, kept.length - limit));
  return excess
    .filter(({ object, replicas }) => {
      const observed = numberAt(object, ['status', 'observedGeneration']);
      const isObserved = (object.metadata.generation ?? 0) <= observed;
      return replicas === 0 && numberAt(object, ['status', 'replicas']) === 0 && isObserved;
    })
    .map(({ object }) => object);
}
