import { objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';

/**
 * Returns the milliseconds until an ended Job has to be deleted, 0 if it is due, or undefined if it has no TTL. Source:
 * Kubernetes pkg/controller/ttlafterfinished.
 *
 * @param now milliseconds since the epoch
 */
export function untilExpiry(job: KubeObject, now: number): number | undefined {
  const seconds = valueAt(job, 'spec', 'ttlSecondsAfterFinished');
  const ended = objectsAt(job, 'status', 'conditions').find(
    ({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  if (typeof seconds !== 'number' || ended === undefined) return undefined;
  if (job.metadata.deletionTimestamp !== undefined) return undefined;
  return Math.max(0, Date.parse(textAt(ended, 'lastTransitionTime')) + seconds * 1000 - now);
}
