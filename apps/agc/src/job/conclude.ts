import { messageOf } from '@interlock/api';
import { Failure, type Conclusion, type EventInput, type Secret } from '@interlock/kube';
import type { JobOutcome } from './outcome.js';
import type { JobDecision } from './decide.js';
import type { ObservedJob } from './observed.js';
import type { DeletionReason } from './record.js';

/** Returns when a job is reconciled again. Pure; `now` in milliseconds since the epoch. */
export function concludeJob(
  { settings }: ObservedJob,
  decision: JobDecision,
  outcome: JobOutcome | Failure,
  now: number,
): Conclusion<Secret> {
  if (outcome instanceof Failure) return {};
  if (outcome.type === 'refused') return { requeueAfterMs: settings.quotaRetryDelayMs };
  if (outcome.type === 'crowdedOut') return { requeueAfterMs: 0 };
  if (decision.type !== 'wait' || decision.until === undefined) return {};
  return { requeueAfterMs: Math.max(0, decision.until - now) };
}

const stopEvents: Partial<Record<DeletionReason, string>> = {
  pending_deadline: 'WorkerPodStuckPending',
  job_abandoned: 'JobLockLost',
  gateway_deleted: 'WorkerDrainTimeout',
};

/** Returns the events of the RunnerGroup that report what happened to a job. Pure. */
export function jobEvents(
  { record, pod, settings }: ObservedJob,
  decision: JobDecision,
  outcome: JobOutcome | Failure,
): EventInput[] {
  const job = `job ${record.run?.jobName ?? record.jobId}${record.run === undefined ? '' : ` of run ${record.run.runId}`}`;
  const warning = (reason: string, note: string): EventInput => ({
    type: 'Warning',
    reason,
    action: 'RunJob',
    note,
  });
  if (outcome instanceof Failure) {
    /* It does not name the job: the cause, such as an admission webhook that fails, most often concerns all jobs. */
    const note = `a step of a job fails and is repeated: ${messageOf(outcome.error)}`;
    return outcome.lasts ? [warning('JobStepFailed', note)] : [];
  }
  if (outcome.type === 'refused') {
    const { maxQuotaRetries } = settings;
    const last = `${job} is given up (spec.maxQuotaRetries is ${maxQuotaRetries})`;
    const again = `${job} waits, and the creation of the pod is retried`;
    const isExhausted = outcome.isQuota && outcome.isLast && maxQuotaRetries > 0;
    const reason = isExhausted ? 'QuotaRetriesExhausted' : 'WorkerPodCreateFailed';
    return [
      warning(reason, `the worker pod was refused; ${outcome.isLast ? last : again}: ${outcome.message}`),
    ];
  }
  if (outcome.type === 'stopped') {
    const reason = stopEvents[outcome.reason];
    if (reason === undefined) return [];
    const isPending = outcome.reason === 'pending_deadline' && pod?.waitsFor !== undefined;
    const cause = isPending ? `: ${pod.waitsFor}` : '';
    return [
      warning(reason, `the worker pod ${pod?.name ?? ''} of ${job} is deleted (${outcome.reason})${cause}`),
    ];
  }
  if (outcome.type === 'relaunched') {
    return [
      warning(
        'WorkerPodReplaced',
        `the worker pod of ${job} is replaced; the job had not started: ${outcome.message}`,
      ),
    ];
  }
  if (outcome.type === 'concluded' && decision.type === 'conclude') {
    const { ending, message = '' } = decision.end;
    /* The runner of a pod that has reached its lifetime reports its job as cancelled, which does not name the cause. */
    const isDeadline = ending === 'deadline' || (ending === 'reported' && pod?.end?.isDeadline === true);
    if (!isDeadline && (ending === 'reported' || ending === 'cancelled')) return [];
    const again =
      outcome.rerun === 'scheduled'
        ? '; its run is run again when GitHub has concluded it, up to spec.maxEvictionRetries times, unless the RunnerGroup is deleted before'
        : '';
    return [
      warning(isDeadline ? 'WorkerPodLifetimeExceeded' : 'JobDisrupted', `${job} ended: ${message}${again}`),
    ];
  }
  return [];
}
