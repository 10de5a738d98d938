import { formatSeconds } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

/** Returns a new condition of a Deployment. `now` is in milliseconds since the epoch. */
export function newCondition(
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
  now: number,
): JsonObject {
  const time = formatSeconds(new Date(now));
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/**
 * Returns the conditions with one condition set, which moves to the end. A condition with the same status and reason is
 * not replaced, and one with the same status keeps the time of its transition. Source: pkg/controller/deployment/util,
 * SetDeploymentCondition.
 */
export function setCondition(conditions: readonly JsonObject[], condition: JsonObject): JsonObject[] {
  const present = findCondition(conditions, String(condition['type']));
  const hasStatus = present?.['status'] === condition['status'];
  if (hasStatus && present?.['reason'] === condition['reason']) return [...conditions];
  return replaceCondition(conditions, condition);
}

/** Sets a condition like {@link setCondition}, even if only its time or its text is new. */
export function replaceCondition(conditions: readonly JsonObject[], condition: JsonObject): JsonObject[] {
  const present = findCondition(conditions, String(condition['type']));
  const since = present?.['status'] === condition['status'] ? present?.['lastTransitionTime'] : undefined;
  return [
    ...withoutCondition(conditions, String(condition['type'])),
    { ...condition, ...(since !== undefined && { lastTransitionTime: since }) },
  ];
}

/** Returns the condition of a type. */
export function findCondition(conditions: readonly JsonObject[], type: string): JsonObject | undefined {
  return conditions.find((one) => one['type'] === type);
}

/** Returns the conditions of other types. */
export function withoutCondition(conditions: readonly JsonObject[], type: string): JsonObject[] {
  return conditions.filter((one) => one['type'] !== type);
}
