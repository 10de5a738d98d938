import { cancellationGraceSeconds, workerExitCodes, type RunnerResult } from '@interlock/api';
import type { ObservedJob } from './observed.js';
import type { PodEnd, PodView } from './pod-view.js';
import type { DeletionReason, JobEnd, JobRecord } from './record.js';

/**
 * The next action for a job. `wait` names what the job waits for and, where no event wakes the job, the latest time in milliseconds
 * since the epoch.
 */
export type JobDecision =
  | {
      type: 'wait';
      for: 'lock' | 'place' | 'quota' | 'pod' | 'worker' | 'workerEnd';
      until?: number | undefined;
    }
  | { type: 'create' }
  /** The recorded pod may start. */
  | { type: 'admit' }
  | { type: 'markStarted' }
  /** `graceSeconds`: the time of the runner; by default that of its pod. */
  | { type: 'stop'; reason: DeletionReason; graceSeconds?: number | undefined }
  | { type: 'relaunch'; message: string }
  | { type: 'conclude'; end: JobEnd };

/** How often a job whose runner cannot have started gets another pod; after that, the nodes are unlikely to be the cause. */
const maxLaunches = 5;
/** The runner reports its result to the service before it ends, so a lost lock proves nothing for this long. */
const endGraceMs = 30_000;
/** GitHub ends a job that has not started 15 minutes after its claim, which the next renewal of its lock shows. */
const startTimeoutMs = { from: 14.5 * 60_000, to: 18 * 60_000 };

/** Decides the next action for a job. Pure; `now` in milliseconds since the epoch. */
export function decideJob(observed: ObservedJob, now: number): JobDecision {
  const { record, pod } = observed;
  if (record.end !== undefined) return { type: 'conclude', end: record.end };
  if (pod?.end !== undefined) return decideEnd(observed, pod, pod.end);
  if (pod === undefined) return decideWithoutPod(observed, now);
  return decideStop(observed, pod, now) ?? decideAlive(observed, pod, now);
}

function decideWithoutPod(observed: ObservedJob, now: number): JobDecision {
  const { record, lock, isRetiring, settings, place } = observed;
  const end = (ending: JobEnd['ending'], message: string): JobDecision => ({
    type: 'conclude',
    end: { ending, at: now, message, isRevoked: isRevoked(observed) },
  });
  if (record.cancelledAt !== undefined) return end('cancelled', 'the job was cancelled');
  if (isLockLost(observed)) return end('lockLost', 'the service ended the job');
  if (record.phase !== 'Staged') return decideVanished(record, now);
  if (isRetiring) return end('abandoned', 'the RunnerGroup was deleted before the job had a pod');
  if (!lock.isRenewed) return { type: 'wait', for: 'lock' };
  const { refusals, refusedAt, refusal } = record;
  if (refusals > settings.maxQuotaRetries) {
    return end('abandoned', `the worker pod was refused ${refusals} times: ${refusal ?? 'no reason given'}`);
  }
  const retryAt = refusedAt === undefined ? 0 : refusedAt + settings.quotaRetryDelayMs;
  if (retryAt > now) return { type: 'wait', for: 'quota', until: retryAt };
  if (place.type === 'full') {
    const { retryAfterMs } = place;
    return { type: 'wait', for: 'place', until: retryAfterMs === undefined ? undefined : now + retryAfterMs };
  }
  return { type: 'create' };
}

/** Decides about a job whose pod is gone and whose end was not observed. */
function decideVanished({ stop, phase }: ObservedJob['record'], now: number): JobDecision {
  /* The runner may have started after the deletion of its pod was recorded. */
  if (stop === 'pending_deadline' && phase !== 'Running') {
    const message = 'the worker pod did not start within spec.pendingPodDeadline';
    return { type: 'conclude', end: { ending: 'abandoned', at: now, message } };
  }
  const message = 'the worker pod was removed, and its end was not observed';
  return { type: 'conclude', end: { ending: 'disrupted', disruption: 'deletion', at: now, message } };
}

/** Returns why a pod that runs or will run must be deleted; undefined when it may stay. */
function decideStop(observed: ObservedJob, pod: PodView, now: number): JobDecision | undefined {
  const { record, lock, isRetiring, settings } = observed;
  /* The annotation alone does not delete the pod: the process may have ended, or the call failed, between the two. */
  const isStopping = pod.isDeletedByUs && pod.deletionAt !== undefined;
  const stop = (reason: DeletionReason): JobDecision =>
    isStopping ? { type: 'wait', for: 'workerEnd', until: now + endGraceMs } : { type: 'stop', reason };
  if (record.cancelledAt !== undefined) return decideCancelled(observed, pod, now);
  if (lock.lostAt !== undefined) {
    if (pod.isDeletedByUs || !pod.hasStarted) return stop('job_abandoned');
    const until = lock.lostAt + endGraceMs;
    return until > now ? { type: 'wait', for: 'workerEnd', until } : stop('job_abandoned');
  }
  if (isRetiring) return stop('gateway_deleted');
  if (isStopping) return { type: 'wait', for: 'workerEnd', until: now + endGraceMs };
  const pendingUntil = pod.createdAt + settings.pendingPodDeadlineMs;
  return !pod.hasStarted && pendingUntil <= now ? stop('pending_deadline') : undefined;
}

/**
 * Decides about the pod of a cancelled job. Its runner has the time for the steps that run after a cancellation that GitHub's own
 * runner gives it, but not longer than the job lasts at the service.
 */
function decideCancelled({ record, lock, isRetiring }: ObservedJob, pod: PodView, now: number): JobDecision {
  const { hasStarted, isDeletedByUs, deletionAt, graceSeconds, deletionGraceSeconds = 0 } = pod;
  const isOver = lock.lostAt !== undefined && lock.lostAt + endGraceMs <= now;
  const isUrgent = isRetiring || isOver || !hasStarted;
  const longest = isUrgent
    ? graceSeconds
    : Math.max(graceSeconds, cancellationGraceSeconds(record.cancelTimeoutMs));
  if (isDeletedByUs && deletionAt !== undefined && deletionGraceSeconds <= longest)
    return { type: 'wait', for: 'workerEnd', until: now + endGraceMs };
  /* The API server shortens the grace period of a deletion only for a request that states one. */
  return { type: 'stop', reason: 'cancelled', graceSeconds: longest };
}

function decideAlive({ record, lock, settings }: ObservedJob, pod: PodView, now: number): JobDecision {
  if (pod.hasStarted && record.phase !== 'Running') return { type: 'markStarted' };
  /* A lost node sends no event: only the time changes the view of the pod. */
  if (pod.deletionAt !== undefined) return { type: 'wait', for: 'workerEnd', until: now + endGraceMs };
  if (pod.hasStarted) return { type: 'wait', for: 'worker' };
  const until = pod.createdAt + settings.pendingPodDeadlineMs;
  if (!pod.isHeld) return { type: 'wait', for: 'pod', until };
  if (!lock.isRenewed) return { type: 'wait', for: 'lock', until };
  /* A pod that was created but not recorded is not created again; this records it. */
  return record.phase === 'Staged' ? { type: 'create' } : { type: 'admit' };
}

/** Returns whether the lock is lost: a process that has just started does not know it, but an earlier one may have recorded it. */
function isLockLost({ lock, record }: ObservedJob): boolean {
  return lock.lostAt !== undefined || record.stop === 'job_abandoned';
}

/** Returns whether the job is known to have been ended at the service by a user or a limit. */
export function isRevoked(observed: Pick<ObservedJob, 'record' | 'lock' | 'pod'>): boolean | undefined {
  const { record, lock } = observed;
  return record.isRevoked ?? (lock.isRevoked === true && !isStartOverdue(observed) ? true : undefined);
}

/** Returns whether the lock was lost when the service ends a job that has not started, as it may do although the lock is renewed. */
function isStartOverdue({ record, lock, pod }: Pick<ObservedJob, 'record' | 'lock' | 'pod'>): boolean {
  if (record.phase === 'Running' || pod?.hasStarted === true) return false;
  const heldMs = (lock.lostAt ?? 0) - record.acquiredAt;
  return heldMs >= startTimeoutMs.from && heldMs <= startTimeoutMs.to;
}

function decideEnd(observed: ObservedJob, pod: PodView, end: PodEnd): JobDecision {
  const { record } = observed;
  const { at, exitCode, disruption, message } = end;
  const result = reportedResult(end);
  const conclude = (ending: JobEnd['ending']): JobDecision => ({
    type: 'conclude',
    end: { ending, at, exitCode, result, disruption, message, isRevoked: isRevoked(observed) },
  });
  /* A disrupted pod gets the same signal as one whose job was cancelled, and its runner reports a cancellation. */
  const isTakenAway = result === 'canceled' && disruption !== undefined && record.cancelledAt === undefined;
  if (isTakenAway) return conclude('disrupted');
  if (result !== undefined) return conclude('reported');
  if (record.cancelledAt !== undefined) return conclude('cancelled');
  if (isLockLost(observed)) return conclude('lockLost');
  if (!mayHaveStarted(record, end)) {
    const again = disruption !== undefined && !pod.isDeletedByUs && record.launches < maxLaunches;
    return again && !end.isDeadline ? { type: 'relaunch', message: end.message } : conclude('abandoned');
  }
  if (end.isDeadline) return conclude('deadline');
  return disruption === undefined ? conclude('crashed') : conclude('disrupted');
}

/**
 * Returns whether the job may have started: a job whose runner was observed running has started, unless the container proves
 * otherwise.
 */
function mayHaveStarted({ phase }: JobRecord, { mayHaveStarted: may, hasEvidence }: PodEnd): boolean {
  return may || (phase === 'Running' && !hasEvidence);
}

/** Returns the result that the runner reported to the service before it ended; undefined when it cannot have reported one. */
export function reportedResult({ report, mayHaveStarted, exitCode }: PodEnd): RunnerResult | undefined {
  return report?.result ?? (mayHaveStarted ? resultOf(exitCode) : undefined);
}

/** Returns the result that an exit code of the worker program represents; undefined for a crash. */
function resultOf(exitCode: number | undefined): RunnerResult | undefined {
  const { succeeded, failed, canceled, skipped, abandoned } = workerExitCodes;
  const results = new Map<number, RunnerResult>([
    [succeeded, 'succeeded'],
    [failed, 'failed'],
    [canceled, 'canceled'],
    [skipped, 'skipped'],
    [abandoned, 'abandoned'],
  ]);
  return exitCode === undefined ? undefined : results.get(exitCode);
}
