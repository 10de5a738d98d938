import { RunnerGroup, type RunnerGroupSpec } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { Claim, JobLock } from '@interlock/broker';
import type { ResourceQuota, Secret } from '@interlock/kube';
import type { LockKeeperParts } from '../../lock/lock-keeper.js';
import type { WorkerSettings } from '../../worker-pod/build.js';
import type { JobSettings, ObservedJob } from '../observed.js';
import type { PodEnd, PodView } from '../pod-view.js';
import type { JobRecord } from '../record.js';

export const now = Date.parse('2026-01-01T00:00:00Z');

export const settings: JobSettings = {
  maxEvictionRetries: 2,
  evictionRetryDelayMs: 5_000,
  maxQuotaRetries: 5,
  quotaRetryDelayMs: 30_000,
  pendingPodDeadlineMs: 600_000,
};

export const record: JobRecord = {
  version: 1,
  key: 'request-1',
  planId: 'plan-1',
  jobId: 'request-1',
  runnerName: 'linux-0a1b',
  run: { repository: 'acme/web', runId: '9007199254740993', jobName: 'build' },
  phase: 'Staged',
  acquiredAt: now - 1_000,
  parts: 1,
  siblings: [],
  launches: 0,
  refusals: 0,
};

export const pod: PodView = {
  name: 'runner-linux-plan-1',
  uid: 'pod-uid',
  createdAt: now - 1_000,
  deletionAt: undefined,
  graceSeconds: 35,
  deletionGraceSeconds: undefined,
  isDeletedByUs: false,
  isHeld: false,
  hasStarted: false,
  runsAgain: false,
  waitsFor: undefined,
  end: undefined,
};

export const ended: PodEnd = {
  at: now,
  mayHaveStarted: true,
  hasEvidence: true,
  exitCode: 1,
  report: undefined,
  disruption: undefined,
  isDeadline: false,
  message: 'the worker pod ended',
};

export const group: RunnerGroup = {
  apiVersion: 'actions-gateway.github.com/v1alpha1',
  kind: 'RunnerGroup',
  metadata: { name: 'linux', namespace: 'team-a', uid: 'group-uid' },
  /* With the defaults of all other fields, as the API server sets them. */
  spec: RunnerGroup.spec.parse({
    name: 'linux',
    runnerLabels: ['self-hosted', 'linux'],
    podTemplate: {},
  }) as RunnerGroupSpec,
};

export const worker: WorkerSettings = {
  gitHubUrl: 'https://github.com/acme',
  defaultImage: 'ghcr.io/actions/actions-runner:2.335.1',
  securityProfile: 'baseline',
  programConfigMap: 'interlock-worker-0123456789',
  podGraceSeconds: 35,
};

/** A lock whose renewals are not answered. */
export const idleLock: JobLock = {
  renew: () => new Promise<never>(() => undefined),
  complete: () => Promise.reject(),
};

/** Returns what renews a lock, without recording or counting the renewals. */
export function lockParts(clock = new FakeClock()): Omit<LockKeeperParts, 'onChange'> {
  const ignore = (): void => undefined;
  return { clock, random: () => 0, log: silentLog, onRenewed: ignore, onFailed: ignore };
}

/** Returns a claim of a delivery of the job of {@link record}. */
export function claimOf(key = 'request-1', changes: Partial<Claim> = {}): Claim {
  const identity = { planId: 'plan-1', jobId: key };
  return {
    ...{ mode: 'payload', key, identity, runnerName: 'linux-0a1b', run: undefined },
    payload: Buffer.from('{}'),
    lock: { ...identity, url: 'http://run/1/', token: 'token' },
    ...changes,
  };
}

/** Returns a ResourceQuota of pods. */
export function podQuota(hard: number, used: number): ResourceQuota {
  const status = { hard: { pods: String(hard) }, used: { pods: String(used) } };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, status };
}

const secret: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'job-plan-1', namespace: 'team-a', resourceVersion: '1' },
};

/** Returns a recorded job that is ready for its pod, with the given changes. */
export function observedJob(
  changes: Partial<Omit<ObservedJob, 'record'>> & { record?: Partial<JobRecord> } = {},
): ObservedJob {
  return {
    secret,
    group,
    pod: undefined,
    lock: { isRenewed: true, lostAt: undefined },
    place: { type: 'free' },
    settings,
    isRetiring: false,
    ...changes,
    record: { ...record, ...changes.record },
  };
}
