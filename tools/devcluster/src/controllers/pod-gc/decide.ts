import { objectAt, objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { withPodCondition } from '../conditions.js';
import { isFinished } from '../pod-state.js';

/** Time after which the pods of a missing node are deleted. */
export const quarantineMs = 40_000;

/**
 * Returns the status of a pod whose node is missing: failed, because of the disruption; a pod that ended keeps its
 * status. Source: Kubernetes pkg/controller/podgc.
 *
 * @param now RFC 3339
 */
export function orphanedStatus(pod: KubeObject, now: string): JsonObject {
  const status = objectAt(pod, 'status');
  if (isFinished(pod)) return status;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
  } as const;
  return {
    ...status,
    phase: 'Failed',
    conditions: withPodCondition(objectsAt(pod, 'status', 'conditions'), condition, now),
  };
}
