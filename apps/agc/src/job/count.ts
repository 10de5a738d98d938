import type { AgcMetrics } from '../metrics.js';
import type { JobOutcome } from './outcome.js';
import { aftermathOf } from './aftermath.js';
import type { JobDecision } from './decide.js';
import type { ObservedJob } from './observed.js';

/** Counts the outcome of a decision about a job; `now` in milliseconds since the epoch. */
export function countJob(
  metrics: AgcMetrics,
  { record, group, place, settings }: ObservedJob,
  decision: JobDecision,
  outcome: JobOutcome,
  now: number,
): void {
  const labels = { runner_group: group.metadata.name };
  if (decision.type === 'markStarted') {
    metrics.observe('pod_creation_latency_seconds', {}, (now - record.acquiredAt) / 1000);
  }
  if (
    decision.type === 'wait' &&
    decision.for === 'place' &&
    place.type === 'full' &&
    place.reason === 'scaleUp'
  ) {
    metrics.count('worker_scaleup_throttled_total', labels);
  }
  /* Without retries, nothing is exhausted. */
  if (outcome.type === 'refused' && outcome.isQuota && settings.maxQuotaRetries > 0) {
    metrics.count(outcome.isLast ? 'quota_retries_exhausted_total' : 'quota_retries_total', labels);
  }
  if (outcome.type === 'stopped')
    metrics.count('worker_pods_reaped_total', { ...labels, reason: outcome.reason });
  if (outcome.type === 'relaunched') metrics.count('job_relaunches_total', labels);
  if (outcome.type !== 'concluded' || decision.type !== 'conclude') return;
  const { end } = decision;
  metrics.count('jobs_ended_total', { ...labels, ending: end.ending });
  if (end.ending === 'lockLost') metrics.count('renew_job_teardowns_total', { reason: 'job_not_found' });
  if (record.startedAt !== undefined) {
    metrics.observe('job_duration_seconds', labels, Math.max(0, end.at - record.startedAt) / 1000);
  }
  const { rerun } = aftermathOf(end);
  if (rerun !== undefined && outcome.rerun === 'unknownRun') {
    metrics.count('eviction_recovery_identity_unknown_total', { ...labels, cause: rerun.cause });
  }
}
