import type { RunnerGroupSpec } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import type { Capacity } from '../group/group-work.js';
import { decideCapacity } from './capacity.js';
import type { GroupPod } from './group-pod.js';
import type { ObservedGroup } from './observed.js';
import { decideReaping, type Reaping } from './reap.js';

/**
 * The progress of the deletion of a RunnerGroup.
 *
 * - `none`: it is not being deleted.
 * - `waiting`: its jobs have time to finish.
 * - `ending`: their timeout has passed; they are ended.
 * - `retiring`: it has no jobs; its runners are removed at GitHub.
 * - `givenUp`: a runner could not be removed at GitHub in time; GitHub removes offline runners itself.
 */
type Drain = 'none' | 'waiting' | 'ending' | 'retiring' | 'givenUp';

export interface GroupDecision {
  capacity: Capacity;
  reaping: Reaping;
  drain: Drain;
  /** When the next step is due although no event occurs; milliseconds since the epoch. */
  nextAt: number | undefined;
}

/** How long the jobs of a deleted group may continue. */
export const drainMs = 90_000;
/**
 * The time to remove runners: GitHub releases the runner of a job that does not start within 15 minutes, and the runner of a
 * cancelled job after 5 more minutes.
 */
const retireMs = 25 * 60_000;
/** Sessions start and end without an event, so their number is read again until it is that of an idle group. */
const sessionsMs = 10_000;

/** Decides how many jobs a group may hold, which worker pods are deleted, and how its deletion proceeds. Pure. */
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
  const sessionsAt = observed.sessions === 1 ? undefined : now + sessionsMs;
  const reportAt = pods.map((pod) => stuckAt(pod, spec)).filter((at) => at !== undefined && at > now);
  const dues = [reaping.nextAt, until, sessionsAt, ...reportAt].filter((due) => due !== undefined);
  return { capacity, reaping, drain, nextAt: dues.length === 0 ? undefined : Math.min(...dues) };
}

/** Returns when a pod that has not started is reported, so that this is before it is deleted; undefined if it does not wait. Pure. */
export function stuckAt(
  { unschedulable, unstarted }: Pick<GroupPod, 'unschedulable' | 'unstarted'>,
  { pendingPodDeadline }: Pick<RunnerGroupSpec, 'pendingPodDeadline'>,
): number | undefined {
  const stuck = unschedulable ?? unstarted;
  return stuck && stuck.since + parseDuration(pendingPodDeadline) / 2;
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
