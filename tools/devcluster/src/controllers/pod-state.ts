import { objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** Returns whether a pod has ended: its containers never run again. */
export function isFinished(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
}

/** Returns whether a pod is active. */
export function isActive(pod: KubeObject): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Returns whether a pod is being deleted and has not ended yet. */
export function isTerminating(pod: KubeObject): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/** Returns a condition of an object's status. */
export function conditionOf(object: KubeObject, type: string): JsonObject | undefined {
  return objectsAt(object, 'status', 'conditions').find((one) => one['type'] === type);
}

/** Returns whether a pod is ready. */
export function isReady(pod: KubeObject): boolean {
  return conditionOf(pod, 'Ready')?.['status'] === 'True';
}

/** Returns when a ready pod became ready, in milliseconds since the epoch, or undefined if it is unknown. */
export function readySince(pod: KubeObject): number | undefined {
  const time = Date.parse(textAt(conditionOf(pod, 'Ready') ?? {}, 'lastTransitionTime'));
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Returns the milliseconds until a pod is available, 0 when it is; undefined for a pod that is not ready. Source:
 * Kubernetes pkg/api/v1/pod, IsPodAvailable.
 */
export function untilAvailable(pod: KubeObject, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

/** Returns the number of restarts of the container of a pod that restarted most often. */
export function mostRestarts(pod: KubeObject): number {
  return Math.max(0, ...objectsAt(pod, 'status', 'containerStatuses').map(restartsOf));
}

/** Returns the number of restarts in the status of a container. */
export function restartsOf(status: JsonObject): number {
  return Number(status['restartCount'] ?? 0);
}

/** Returns the number at a path, or the fallback if there is none. */
export function numberAt(object: JsonObject, path: readonly string[], fallback = 0): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : fallback;
}
