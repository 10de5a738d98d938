import { objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { tolerates } from '../../scheduler/taints.js';
import type { JsonObject } from '../../schema/types.js';

/** The effect of taints on a pod: it stays, is evicted, or is evicted after some time. */
export type Verdict = { kind: 'keep' } | { kind: 'evict' } | { kind: 'wait'; ms: number };

/** Returns the taints of a node that evict running pods. */
export function evictingTaints(node: KubeObject | undefined): JsonObject[] {
  return node === undefined
    ? []
    : objectsAt(node, 'spec', 'taints').filter(({ effect }) => effect === 'NoExecute');
}

/**
 * Returns whether a pod may stay on a node with these NoExecute taints, and for how long: the shortest time of the
 * tolerations that cover them, counted from the time since which both the taints and the pod exist. Source: Kubernetes
 * pkg/controller/tainteviction.
 *
 * @param now milliseconds since the epoch
 */
export function judge(pod: KubeObject, taints: readonly JsonObject[], now: number): Verdict {
  if (taints.length === 0 || pod.metadata.deletionTimestamp !== undefined) return { kind: 'keep' };
  const tolerations = objectsAt(pod, 'spec', 'tolerations');
  const used = taints.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)));
  if (used.includes(undefined)) return { kind: 'evict' };
  const limits = used.flatMap((toleration) => {
    const seconds = toleration?.['tolerationSeconds'];
    return typeof seconds === 'number' ? [Math.max(0, seconds)] : [];
  });
  if (limits.length === 0) return { kind: 'keep' };
  const ms = Math.min(...limits) * 1000 - (now - startOf(pod, taints, now));
  return ms > 0 ? { kind: 'wait', ms } : { kind: 'evict' };
}

/**
 * Returns when the toleration of taints began, in milliseconds since the epoch. Times of the API have whole seconds.
 */
function startOf(pod: KubeObject, taints: readonly JsonObject[], now: number): number {
  const scheduled = objectsAt(pod, 'status', 'conditions').find(({ type }) => type === 'PodScheduled');
  const times = [
    ...taints.map((taint) => valueAt(taint, 'timeAdded')),
    scheduled && textAt(scheduled, 'lastTransitionTime'),
  ];
  const known = times.flatMap((time) => (typeof time === 'string' && time !== '' ? [Date.parse(time)] : []));
  return known.length === 0 ? now : Math.max(...known);
}
