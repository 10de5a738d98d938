import { Failure } from '@interlock/kube';
import type { AgcMetrics } from '../metrics.js';
import type { GroupOutcome } from './act.js';
import { isQuotaExceeded } from './capacity.js';
import type { GroupDecision } from './decide.js';
import type { ObservedGroup } from './observed.js';

/** Reports the current values of a RunnerGroup, and counts the pods that were deleted. */
export function countGroup(
  metrics: Pick<AgcMetrics, 'set' | 'count'>,
  { group, sessions, liveJobs, pods, headroom }: ObservedGroup,
  { capacity }: GroupDecision,
  outcome: GroupOutcome | Failure,
): void {
  const labels = { runner_group: group.metadata.name };
  const waiting = pods.filter(({ unschedulable }) => unschedulable !== undefined);
  metrics.set('active_sessions', labels, sessions);
  metrics.set('jobs_active', labels, liveJobs);
  metrics.set('worker_quota_exceeded', labels, isQuotaExceeded(capacity, headroom) ? 1 : 0);
  metrics.set('workers_unschedulable', labels, waiting.length);
  if (outcome instanceof Failure) return;
  for (const reason of outcome.reaped) metrics.count('worker_pods_reaped_total', { ...labels, reason });
}
