import type { JsonObject } from '../schema/types.js';

/** A condition without the time of its last transition. */
export interface NewCondition extends JsonObject {
  type: string;
  status: 'True' | 'False' | 'Unknown';
}

/** Returns the conditions with one condition set. Its transition time changes only with its status. */
export function withCondition(
  conditions: readonly JsonObject[],
  condition: NewCondition,
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

/** Returns the conditions of a pod with one condition set; its lastProbeTime is null by default. */
export function withPodCondition(
  conditions: readonly JsonObject[],
  condition: NewCondition,
  now: string,
): JsonObject[] {
  return withCondition(conditions, { lastProbeTime: null, ...condition }, now);
}
