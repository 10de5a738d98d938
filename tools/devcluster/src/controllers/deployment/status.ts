import { formatSeconds, objectsAt, textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { numberAt } from '../pod-state.js';
import {
  findCondition,
  newCondition,
  replaceCondition,
  setCondition,
  withoutCondition,
} from './conditions.js';
import { membersOf, statusSum, totalOf, type Draft } from './draft.js';
import { progressDeadlineOf } from './limits.js';

/** Returns the status of a Deployment from what its ReplicaSets report. Source: calculateStatus. */
export function statusOf(draft: Draft): JsonObject {
  const { deployment, limits, newest, now } = draft;
  const members = membersOf(draft);
  const available = statusSum(members, 'availableReplicas');
  const counts: JsonObject = {
    replicas: statusSum(members, 'replicas'),
    updatedReplicas: newest === undefined ? 0 : statusSum([newest], 'replicas'),
    readyReplicas: statusSum(members, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalOf(members) - available),
  };
  const isEnough = available >= limits.replicas - limits.maxUnavailable;
  const condition = isEnough
    ? newCondition(
        'Available',
        'True',
        'MinimumReplicasAvailable',
        'Deployment has minimum availability.',
        now,
      )
    : newCondition(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
        now,
      );
  const collisionCount = numberAt(deployment, ['status', 'collisionCount']);
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    terminatingReplicas: statusSum(members, 'terminatingReplicas'),
    conditions: setCondition(draft.conditions, condition),
    ...(collisionCount > 0 && { collisionCount }),
  };
}

/**
 * Returns the status during a rollout, with its progress and the failures of its ReplicaSets. Source:
 * syncRolloutStatus.
 */
export function rolloutStatusOf(draft: Draft): JsonObject {
  const status = statusOf(draft);
  const failed = withFailure(draft, withProgress(draft, status));
  return { ...status, conditions: failed };
}

function withProgress(draft: Draft, status: JsonObject): JsonObject[] {
  const conditions = objectsAt(status, 'conditions');
  const deadline = progressDeadlineOf(draft.deployment);
  if (deadline === undefined) return withoutCondition(conditions, 'Progressing');
  const present = findCondition(conditions, 'Progressing');
  const count = (name: string): number => numberAt(status, [name]);
  const isDone =
    present?.['reason'] === 'NewReplicaSetAvailable' && count('replicas') === count('updatedReplicas');
  if (isDone) return conditions;
  const subject =
    draft.newest === undefined
      ? `Deployment "${draft.deployment.metadata.name}"`
      : `ReplicaSet "${draft.newest.object.metadata.name}"`;
  const put = (state: 'True' | 'False', reason: string, text: string): JsonObject =>
    newCondition('Progressing', state, reason, `${subject} ${text}`, draft.now);
  if (isComplete(draft, status)) {
    return setCondition(conditions, put('True', 'NewReplicaSetAvailable', 'has successfully progressed.'));
  }
  if (hasProgressed(draft, status)) {
    return replaceCondition(conditions, put('True', 'ReplicaSetUpdated', 'is progressing.'));
  }
  if (present !== undefined && isOverdue(present, deadline, draft.now)) {
    return setCondition(conditions, put('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'));
  }
  return conditions;
}

/** Returns whether all pods are of the current template and available, and no others exist. */
export function isComplete({ deployment, limits }: Draft, status: JsonObject): boolean {
  return (
    ['updatedReplicas', 'replicas', 'availableReplicas'].every(
      (name) => numberAt(status, [name]) === limits.replicas,
    ) && numberAt(status, ['observedGeneration']) >= (deployment.metadata.generation ?? 0)
  );
}

/** Returns whether more pods are updated, ready or available, or fewer are old, than the stored status states. */
function hasProgressed({ deployment }: Draft, status: JsonObject): boolean {
  const before = (name: string): number => numberAt(deployment, ['status', name]);
  const after = (name: string): number => numberAt(status, [name]);
  return (
    after('replicas') - after('updatedReplicas') < before('replicas') - before('updatedReplicas') ||
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'].some((name) => after(name) > before(name))
  );
}

function isOverdue(condition: JsonObject, deadlineSeconds: number, now: number): boolean {
  if (condition['reason'] === 'ProgressDeadlineExceeded') return true;
  return Date.parse(textAt(condition, 'lastUpdateTime')) + deadlineSeconds * 1000 < now;
}

/**
 * Returns the milliseconds until a rollout that stops progressing is overdue; undefined when it is complete or overdue.
 * The result includes an additional second, because times of conditions have whole seconds.
 */
export function untilOverdue(draft: Draft, status: JsonObject): number | undefined {
  const deadline = progressDeadlineOf(draft.deployment);
  const condition = findCondition(objectsAt(status, 'conditions'), 'Progressing');
  if (deadline === undefined || condition === undefined || isComplete(draft, status)) return undefined;
  if (condition['reason'] === 'ProgressDeadlineExceeded') return undefined;
  const since = Date.parse(textAt(condition, 'lastUpdateTime'));
  return Math.max(1000, since + deadline * 1000 - draft.now + 1000);
}

/**
 * Returns the conditions with the failure of a ReplicaSet, if there is one. A failure of the newest ReplicaSet takes
 * precedence.
 */
function withFailure(draft: Draft, conditions: readonly JsonObject[]): JsonObject[] {
  const [failure] = membersOf(draft)
    .reverse()
    .flatMap(({ object }) => objectsAt(object, 'status', 'conditions'))
    .filter(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  return setCondition(conditions, {
    type: 'ReplicaFailure',
    status: failure['status'] ?? 'True',
    lastUpdateTime: failure['lastTransitionTime'] ?? formatSeconds(new Date(draft.now)),
    lastTransitionTime: failure['lastTransitionTime'] ?? formatSeconds(new Date(draft.now)),
    reason: failure['reason'] ?? '',
    message: failure['message'] ?? '',
  });
}
