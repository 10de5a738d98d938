import { textAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { numberAt } from '../pod-state.js';
import { matchFailurePolicy } from './failure-policy.js';
import { formatIndexes, parseIndexes } from './indexes.js';
import { hasFailed, indexOf, isIndexed, isTracked, uncountedOf } from './job-pods.js';

/**
 * The ended pods of a Job. A pod is counted in three steps, so that an interruption neither loses a pod nor counts it
 * twice: its uid is written to the status as uncounted, its finalizer is removed, and then it is added to the count.
 * In an Indexed Job, successes are counted by index.
 */
export interface Tally {
  succeeded: number;
  failed: number;
  uncountedSucceeded: Set<string>;
  uncountedFailed: Set<string>;
  /** Completed indexes of an Indexed Job. */
  completed: Set<number>;
  /** Pods whose finalizer can be removed once the status is written. */
  untrack: Set<KubeObject>;
}

/** Returns the counts in the status of a Job, including the uncounted pods whose finalizer was removed. */
export function startTally(job: KubeObject, pods: readonly KubeObject[]): Tally {
  const held = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const split = (outcome: 'succeeded' | 'failed'): { left: Set<string>; gone: number } => {
    const all = uncountedOf(job, outcome);
    const left = new Set([...all].filter((uid) => held.has(uid)));
    return { left, gone: all.size - left.size };
  };
  const [succeeded, failed] = [split('succeeded'), split('failed')];
  const completed = isIndexed(job)
    ? parseIndexes(textAt(job, 'status', 'completedIndexes'), numberAt(job, ['spec', 'completions']))
    : new Set<number>();
  return {
    succeeded: numberAt(job, ['status', 'succeeded']) + succeeded.gone,
    failed: numberAt(job, ['status', 'failed']) + failed.gone,
    uncountedSucceeded: succeeded.left,
    uncountedFailed: failed.left,
    completed,
    untrack: new Set(),
  };
}

/**
 * Adds ended pods to a tally.
 *
 * @param isFailing whether the Job has failed, so that its remaining pods are deleted and count as failed
 */
export function addEnded(
  tally: Tally,
  job: KubeObject,
  pods: readonly KubeObject[],
  isFailing: boolean,
): void {
  for (const pod of pods.filter(isTracked)) {
    const { uid = '' } = pod.metadata;
    if (textAt(pod, 'status', 'phase') === 'Succeeded') {
      addSuccess(tally, job, pod, uid);
      tally.untrack.add(pod);
    } else if (isFailing || hasFailed(pod, job)) {
      const isIgnored = hasFailed(pod, job) && matchFailurePolicy(job, pod)?.action === 'Ignore';
      if (!isIgnored) tally.uncountedFailed.add(uid);
      tally.untrack.add(pod);
    }
  }
}

function addSuccess(tally: Tally, job: KubeObject, pod: KubeObject, uid: string): void {
  if (!isIndexed(job)) {
    tally.uncountedSucceeded.add(uid);
    return;
  }
  const index = indexOf(pod);
  if (index !== undefined && index < numberAt(job, ['spec', 'completions'])) tally.completed.add(index);
}

/** Returns how many pods (or indexes) have succeeded, including uncounted pods. */
export function successes(tally: Tally, job: KubeObject): number {
  return isIndexed(job) ? tally.completed.size : tally.succeeded + tally.uncountedSucceeded.size;
}

/** Returns how many pods have failed, including uncounted pods. */
export function failures({ failed, uncountedFailed }: Tally): number {
  return failed + uncountedFailed.size;
}

/** Returns the fields of a status that state a tally. */
export function tallyStatus(tally: Tally, job: KubeObject): JsonObject {
  const succeeded = isIndexed(job) ? tally.completed.size : tally.succeeded;
  const { failed, uncountedSucceeded, uncountedFailed, completed } = tally;
  return {
    ...(succeeded > 0 && { succeeded }),
    ...(failed > 0 && { failed }),
    ...(completed.size > 0 && { completedIndexes: formatIndexes(completed) }),
    uncountedTerminatedPods: {
      ...(uncountedSucceeded.size > 0 && { succeeded: [...uncountedSucceeded] }),
      ...(uncountedFailed.size > 0 && { failed: [...uncountedFailed] }),
    },
  };
}
