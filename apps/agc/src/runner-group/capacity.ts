import type { RunnerGroupSpec } from '@interlock/api';
import type { Capacity } from '../group/group-work.js';
import { ceilingOf } from '../group/places.js';
import type { Headroom } from './observed.js';

/** Without a worker limit or a quota, the cluster is the limit; the source needs a number. */
const unlimited = 10_000;

/** The input of {@link decideCapacity}. */
export interface CapacityInput {
  spec: Pick<RunnerGroupSpec, 'maxWorkers' | 'priorityTiers'>;
  liveJobs: number;
  stagedJobs: number;
  /** Active pods whose job has ended: they occupy their place until they have ended as well. */
  leftovers: number;
  headroom: Headroom;
  isDraining: boolean;
}

/**
 * Returns how many jobs a group may hold: a job is claimed only when there is headroom for its pod, because a claimed job that waits uses up
 * the time that GitHub gives it to start. Pure.
 */
export function decideCapacity({
  spec,
  liveJobs,
  stagedJobs,
  leftovers,
  headroom,
  isDraining,
}: CapacityInput): Capacity {
  if (isDraining) {
    const message = 'the RunnerGroup is being deleted';
    return { total: liveJobs, shortage: { reason: 'draining', message } };
  }
  const ceiling = Math.max(0, ceilingOf(spec) - leftovers);
  const byQuota = liveJobs + Math.max(0, headroom.pods - stagedJobs);
  const total = Math.min(ceiling, byQuota, unlimited);
  if (total > liveJobs) return { total };
  if (byQuota < ceiling) return { total, shortage: { reason: 'quota', message: headroom.limit } };
  const runs = `the RunnerGroup runs ${liveJobs} of ${ceilingOf(spec)} allowed jobs`;
  const also = `${leftovers} worker pods have not ended although their jobs have: they have other containers, or their nodes are lost`;
  return {
    total,
    shortage: { reason: 'ceiling', message: leftovers === 0 ? runs : `${runs}, and ${also}` },
  };
}

/** Returns whether a ResourceQuota has no room for another worker pod, also if the worker limit of the group permits none. Pure. */
export function isQuotaExceeded(capacity: Capacity, headroom: Headroom): boolean {
  return capacity.shortage?.reason === 'quota' || headroom.pods === 0;
}
