import { parseDuration } from '@interlock/service';
import type { Capacity } from '../group/group-work.js';
import { decideCapacity } from './capacity.js';
import type { ObservedGroup } from './observed.js';
import { decideReaping, type Reaping } from './reap.js';

/**
 * How far the end of a deleted RunnerGroup has come.
 *
 * - `none`: it is not being deleted.
 * - `waiting`: its jobs run on for a while.
 * - `ending`: their time is over; they are ended.
 * - `retiring`: it has no jobs; its runners are removed at GitHub.
 * - `givenUp`: GitHub did not let go of a runner in time; it removes runners that are offline itself.
 */
type Drain = 'none' | 'waiting' | 'ending' | 'retiring' | 'givenUp';

export interface GroupDecision {
  capacity: Capacity;
  reaping: Reaping;
  drain: Drain;
  /** When something falls due although nothing changes; milliseconds since the epoch. */
  nextAt: number | undefined;
}

/** So long the jobs of a deleted group run on. */
export const drainMs = 90_000;
/** GitHub lets go of the runner of a job that did not start after 15 minutes, of one that was cancelled after 5 more. */
const retireMs = 25 * 60_000;

/** Decides how many jobs a group may hold, which worker pods go, and how far its deletion is. Pure. */
export function decideGroup(observed: ObservedGroup, now: number): GroupDecision {
  const { group, pods, isAdopted } = observed;
  const { metadata, spec } = group;
  const deletedAt =
    metadata.deletionTimestamp === undefined ? undefined : Date.parse(metadata.deletionTimestamp);
  const leftovers = pods.filter(({ hasJob, state }) => !hasJob && state !== 'ended').length;
  const capacity = decideCapacity({ ...observed, spec, leftovers, isDraining: deletedAt !== undefined });
  const ttlMs = parseDuration(spec.completedPodTTL);
  const reaping: Reaping = isAdopted
    ? decideReaping(pods, ttlMs, now)
    : { reaped: [], completed: [], nextAt: undefined };
  const { drain, until } = decideDrain(observed, deletedAt, now);
  const dues = [reaping.nextAt, until].filter((due) => due !== undefined);
  return { capacity, reaping, drain, nextAt: dues.length === 0 ? undefined : Math.min(...dues) };
}

function decideDrain(
  { jobs }: ObservedGroup,
  deletedAt: number | undefined,
  now: number,
): { drain: Drain; until?: number } {
  if (deletedAt === undefined) return { drain: 'none' };
  const retryMs = 5_000;
  if (jobs === 0) {
    return now > deletedAt + retireMs ? { drain: 'givenUp' } : { drain: 'retiring', until: now + retryMs };
  }
  const until = deletedAt + drainMs;
  return now < until ? { drain: 'waiting', until } : { drain: 'ending', until: now + retryMs };
}
