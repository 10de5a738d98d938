import type { GroupPod } from './group-pod.js';

/** Why a worker pod is deleted that no job needs. */
export type ReapReason = 'completed_ttl' | 'orphaned_running' | 'completed_pending';

export interface Reaping {
  /** Pods to delete. */
  reaped: { pod: GroupPod; reason: ReapReason }[];
  /** Pods that have no job any more, which is noted on them, so that the time runs from now whatever process looks next. */
  completed: GroupPod[];
  /** When the next pod falls due; undefined: none will. */
  nextAt: number | undefined;
}

/** A pod whose job has ended has so long to end itself. */
const orphanMs = 5 * 60_000;
/** One that has not begun has nothing to end. */
const pendingMs = 30_000;

/**
 * Decides which worker pods go. One that a job on record has is the job's. Pure; `now` in milliseconds since the epoch.
 *
 * @param ttlMs how long an ended pod is kept for its users to read
 */
export function decideReaping(pods: readonly GroupPod[], ttlMs: number, now: number): Reaping {
  const reaping: Reaping = { reaped: [], completed: [], nextAt: undefined };
  for (const pod of pods) {
    if (pod.isDeleting || pod.hasJob) continue;
    const due = dueOf(pod, ttlMs);
    if (due === undefined) {
      reaping.completed.push(pod);
      continue;
    }
    if (due.at <= now) reaping.reaped.push({ pod, reason: due.reason });
    else reaping.nextAt = Math.min(reaping.nextAt ?? Infinity, due.at);
  }
  return reaping;
}

function dueOf(
  { state, endedAt, jobCompletedAt }: GroupPod,
  ttlMs: number,
): { at: number; reason: ReapReason } | undefined {
  if (endedAt !== undefined) return { at: endedAt + ttlMs, reason: 'completed_ttl' };
  if (jobCompletedAt === undefined) return undefined;
  return state === 'pending'
    ? { at: jobCompletedAt + pendingMs, reason: 'completed_pending' }
    : { at: jobCompletedAt + orphanMs, reason: 'orphaned_running' };
}
