import { formatSeconds, objectAt, objectsAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** A condition without the time of its last transition. */
export interface NewCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

/** Returns the conditions with one set; its transition time changes with its status alone. */
export function withCondition(
  conditions: readonly JsonObject[],
  condition: NewCondition & { observedGeneration?: number },
  now: string,
): JsonObject[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const isSame = before?.['status'] === condition.status;
  const after: JsonObject = {
    ...condition,
    lastTransitionTime: isSame ? (before['lastTransitionTime'] ?? now) : now,
  };
  return before === undefined
    ? [...conditions, after]
    : conditions.map((one) => (one === before ? after : one));
}

/** Whether the `Ready` condition of a pod is true. */
export function isPodReady(pod: KubeObject): boolean {
  return objectsAt(pod, 'status', 'conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

/** Returns a pod with a condition set, as the API server sets it. */
export function withPodCondition(
  pod: KubeObject,
  condition: { type: string; status: 'True' | 'False'; reason?: string; message?: string },
  now: Date,
): KubeObject {
  const status = objectAt(pod, 'status');
  const before = objectsAt(status, 'conditions').find(({ type }) => type === condition.type);
  const isSame = before?.['status'] === condition.status;
  const after: JsonObject = {
    type: condition.type,
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    status: condition.status,
    lastProbeTime: null,
    lastTransitionTime: isSame ? (before['lastTransitionTime'] ?? null) : formatSeconds(now),
    ...(condition.reason !== undefined && { reason: condition.reason }),
    ...(condition.message !== undefined && { message: condition.message }),
  };
  const others = objectsAt(status, 'conditions').filter((one) => one !== before);
  return { ...pod, status: { ...status, conditions: [...others, after] } };
}
