import type { GroupPod } from './group-pod.js';

/** Why a worker pod that no job needs is deleted. */
export type ReapReason = 'completed_ttl' | 'orphaned_running' | 'completed_pending';

export interface Reaping {
  /** Pods to delete. */
  reaped: { pod: GroupPod; reason: ReapReason }[];
  /** Pods whose job has ended; they are annotated with the current time, so that the elapsed time also counts after a restart. */
  completed: GroupPod[];
  /** When the next pod is due; undefined when none is. */
  nextAt: number | undefined;
}

/** How long a pod whose job has ended may take to end by itself. */
const orphanMs = 5 * 60_000;
/** How long a pod that has not started may remain after its job has ended. */
const pendingMs = 30_000;

/**
 * Decides which worker pods are deleted; the pod of a recorded job is kept. Pure; `now` in milliseconds since the epoch.
 *
 * @param ttlMs how long an ended pod is kept, so that users can read its logs
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
