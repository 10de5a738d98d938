import type { RunnerGroup } from '@interlock/api';
import { podsOf, waitingJobs } from '../caches.js';
import type { AgcContext } from '../context.js';
import type { Capacity } from '../group/group-work.js';
import { groupNameOf } from '../group-objects.js';
import { hasEnded } from '../worker-pod/has-ended.js';
import { headroomBeside, workerHeadroom } from './headroom.js';
import type { Headroom } from './observed.js';

type HeadroomContext = Pick<AgcContext, 'caches' | 'groups' | 'locks' | 'worker' | 'namespace'>;

/**
 * Returns how many more worker pods of a group fit in the quotas of its namespace, beside the jobs of other groups that wait for a
 * pod or are being claimed. Reads caches and memory.
 */
export function observeHeadroom(context: HeadroomContext, group: RunnerGroup, now: number): Headroom {
  const { caches, worker } = context;
  const { name } = group.metadata;
  const quotas = caches.quotas.list();
  const active = podsOf(caches, name).filter((pod) => !hasEnded(pod)).length;
  const headroom = workerHeadroom(quotas, group, worker, active, now);
  if (headroom.pods === Infinity) return headroom;
  const waiting = countWaiting(context, (other) => other !== name);
  return headroomBeside(headroom, waiting);
}

/**
 * Returns why a group may not claim a job now; undefined if it may. Since its capacity was set, other groups may have claimed jobs
 * that need the same headroom. Jobs that are claimed without headroom would be given up and run again.
 */
export function quotaShortage(context: HeadroomContext, name: string, now: number): Capacity['shortage'] {
  const { caches, namespace } = context;
  const group = caches.groups.get({ name, namespace });
  if (group === undefined || caches.quotas.list().length === 0) return undefined;
  const { pods, limit } = observeHeadroom(context, group, now);
  if (pods === Infinity || pods > countWaiting(context, (one) => one === name)) return undefined;
  return { reason: 'quota', message: limit };
}

/** Returns how many jobs of groups have no pod yet. */
function countWaiting(
  { caches, groups, locks, namespace }: HeadroomContext,
  isIncluded: (group: string) => boolean,
): number {
  /* The record of a job is in the cache later than the lock is renewed, and the lock is dropped when the record is removed. */
  const isObserved = (name: string): boolean =>
    !locks.has(name) || caches.jobs.get({ name, namespace }) !== undefined;
  const claimed = groups
    .list()
    .filter(({ name }) => isIncluded(name))
    .map((work) => work.unobservedJobs(isObserved));
  const recorded = waitingJobs(caches).filter((secret) => isIncluded(groupNameOf(secret)));
  return claimed.reduce((sum, count) => sum + count, recorded.length);
}
