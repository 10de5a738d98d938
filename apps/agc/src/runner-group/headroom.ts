import type { RunnerGroup } from '@interlock/api';
import { quotaHeadroom } from '@interlock/api/quantities';
import type { ResourceQuota } from '@interlock/kube';
import { buildWorkerPod, type WorkerSettings } from '../worker-pod/build.js';
import type { Headroom } from './observed.js';

/** An arbitrary job: the pods of all jobs need the same resources. */
const anyJob = {
  version: 1,
  key: 'any',
  planId: 'any',
  jobId: 'any',
  runnerName: 'any',
  phase: 'Staged',
  acquiredAt: 0,
  parts: 1,
  siblings: [],
  launches: 0,
  refusals: 0,
} as const;

/** Returns how many more worker pods of a group fit in the quotas of its namespace. Pure; `now` in milliseconds since the epoch. */
export function workerHeadroom(
  quotas: readonly ResourceQuota[],
  group: RunnerGroup,
  settings: WorkerSettings,
  now: number,
): Headroom {
  if (quotas.length === 0) return { pods: Infinity };
  const tier = group.spec.priorityTiers?.at(-1)?.priorityClassName;
  const pod = buildWorkerPod(group, { ...anyJob, siblings: [] }, settings, tier);
  const { pods, tightest } = quotaHeadroom(quotas, pod, new Date(now));
  return { pods, shortage: tightest[0]?.message };
}
