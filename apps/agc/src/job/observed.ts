import type { RunnerGroup } from '@interlock/api';
import type { Secret } from '@interlock/kube';
import type { PodView } from './pod-view.js';
import type { JobRecord } from './record.js';

/** The state of the lock of a job, as known by the process that renews it. */
export interface LockView {
  /** Whether this process has renewed the lock, which proves that it holds the job. */
  isRenewed: boolean;
  /** When the service was found to no longer know the job, or the lock to have expired; milliseconds since the epoch. */
  lostAt: number | undefined;
  /** Whether the service ended the job before its lock expired: a user or a limit has ended the job there. */
  isRevoked?: boolean | undefined;
}

/** Whether another worker pod may be created now. */
export type Place =
  | { type: 'free'; priorityClassName?: string | undefined }
  /** `retryAfterMs`: when a place may be free although no event occurs. */
  | { type: 'full'; reason: 'ceiling' | 'scaleUp'; retryAfterMs?: number | undefined };

/** The settings of a RunnerGroup that apply when its jobs end; times in milliseconds. */
export interface JobSettings {
  maxEvictionRetries: number;
  evictionRetryDelayMs: number;
  maxQuotaRetries: number;
  quotaRetryDelayMs: number;
  pendingPodDeadlineMs: number;
}

export interface ObservedJob {
  /** Metadata of the job's Secret. */
  secret: Secret;
  record: JobRecord;
  group: RunnerGroup;
  pod: PodView | undefined;
  lock: LockView;
  /** The place of its pod; always free for a job that needs none. */
  place: Place;
  settings: JobSettings;
  /** Whether the RunnerGroup is being deleted and the timeout of its jobs has passed. */
  isRetiring: boolean;
}
