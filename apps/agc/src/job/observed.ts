import type { RunnerGroup } from '@interlock/api';
import type { Secret } from '@interlock/kube';
import type { PodView } from './pod-view.js';
import type { JobRecord } from './record.js';

/** How the lock of a job is doing, as the process that renews it knows. */
export interface LockView {
  /** It was renewed by this process, so that the job is ours. */
  isRenewed: boolean;
  /** When it was found that the service does not know the job any more, or that the lock has expired; milliseconds since the epoch. */
  lostAt: number | undefined;
  /** The service did not know the job any more although its lock lasted: somebody has ended the job there. */
  isRevoked?: boolean | undefined;
}

/** Whether a further worker pod may be created now. */
export type Place =
  | { type: 'free'; priorityClassName?: string | undefined }
  /** `retryAfterMs`: when it may be free although nothing changes. */
  | { type: 'full'; reason: 'ceiling' | 'scaleUp'; message: string; retryAfterMs?: number | undefined };

/** What a RunnerGroup says about the ends of its jobs; times in milliseconds. */
export interface JobSettings {
  maxEvictionRetries: number;
  evictionRetryDelayMs: number;
  maxQuotaRetries: number;
  quotaRetryDelayMs: number;
  completedPodTtlMs: number;
  pendingPodDeadlineMs: number;
}

export interface ObservedJob {
  /** Metadata of the job's Secret. */
  secret: Secret;
  record: JobRecord;
  group: RunnerGroup;
  pod: PodView | undefined;
  lock: LockView;
  place: Place;
  settings: JobSettings;
  /** The RunnerGroup goes away, and its jobs have had their time. */
  isRetiring: boolean;
}
