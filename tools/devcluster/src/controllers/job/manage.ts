import { objectAt, valueAt, type KubeObject } from '../../object.js';
import { isTerminating, numberAt } from '../pod-state.js';
import { podsToRemove } from '../replica-set/removal-order.js';
import { backoffOf } from './backoff.js';
import { pendingIndexes } from './indexes.js';
import { indexOf, isIndexed, isSuspended, replacesOnlyFailed } from './job-pods.js';
import { successes, type Tally } from './tally.js';

const maxPerPass = 500;

/** The changes of the pods of a Job that has not ended. */
interface PodChanges {
  /** The index of each pod to create; undefined in a Job without indexes. */
  create: (number | undefined)[];
  remove: KubeObject[];
  /** Milliseconds for which failed pods are not replaced yet. */
  backoffMs: number;
}

/**
 * Returns the pods to create and to delete. Source: Kubernetes pkg/controller/job, manageJob.
 *
 * @param active the pods that have not ended
 * @param now milliseconds since the epoch
 */
export function managePods(
  job: KubeObject,
  pods: readonly KubeObject[],
  active: readonly KubeObject[],
  tally: Tally,
  now: number,
): PodChanges {
  const none: PodChanges = { create: [], remove: [], backoffMs: 0 };
  if (isSuspended(job)) return { ...none, remove: [...active] };
  const required = requiredActive(job, active.length, successes(tally, job));
  const remove = surplus(job, active, Math.max(0, active.length - required), now);
  if (remove.length > 0) return { ...none, remove: remove.slice(0, maxPerPass) };
  const terminating = replacesOnlyFailed(job) ? pods.filter(isTerminating) : [];
  const missing = Math.min(maxPerPass, required - terminating.length - active.length);
  if (missing <= 0) return none;
  const backoffMs = backoffOf(job, pods, now);
  if (backoffMs > 0) return { ...none, backoffMs };
  if (!isIndexed(job)) return { ...none, create: Array.from({ length: missing }, () => undefined) };
  const taken = new Set(tally.completed);
  for (const pod of [...active, ...terminating]) taken.add(indexOf(pod) ?? -1);
  return { ...none, create: pendingIndexes(taken, numberAt(job, ['spec', 'completions']), missing) };
}

function requiredActive(job: KubeObject, active: number, succeeded: number): number {
  const parallelism = numberAt(job, ['spec', 'parallelism'], 1);
  const completions = valueAt(objectAt(job, 'spec'), 'completions');
  if (typeof completions !== 'number') return succeeded > 0 ? active : parallelism;
  return Math.min(parallelism, Math.max(0, completions - succeeded));
}

/** Returns the surplus pods; in an Indexed Job, first pods with an invalid index or with the index of another pod. */
function surplus(job: KubeObject, active: readonly KubeObject[], atLeast: number, now: number): KubeObject[] {
  if (!isIndexed(job)) return podsToRemove(active, atLeast, [], now);
  const completions = numberAt(job, ['spec', 'completions']);
  const byIndex = new Map<number, KubeObject[]>();
  const remove: KubeObject[] = [];
  for (const pod of active) {
    const index = indexOf(pod);
    if (index === undefined || index >= completions) remove.push(pod);
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod]);
  }
  for (const same of byIndex.values()) remove.push(...podsToRemove(same, same.length - 1, [], now));
  const left = active.filter((pod) => !remove.includes(pod));
  return [...remove, ...podsToRemove(left, Math.max(0, atLeast - remove.length), [], now)];
}
