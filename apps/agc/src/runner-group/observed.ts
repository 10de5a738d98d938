import type { SourceHealth } from '@interlock/broker';
import type { RunnerGroup } from '@interlock/api';
import type { GroupPod } from './group-pod.js';

/** What the ResourceQuotas of the namespace leave for worker pods. */
export interface Headroom {
  /** How many more worker pods fit; Infinity without a quota that counts them. */
  pods: number;
  /** Which resource of which quota limits them; empty without such a quota. */
  limit: string;
}

export interface ObservedGroup {
  group: RunnerGroup;
  pods: readonly GroupPod[];
  /** Recorded jobs that are not Concluding. */
  liveJobs: number;
  /** Live jobs that have no worker pod yet. */
  stagedJobs: number;
  /** All recorded jobs whose record can be read. */
  jobs: number;
  /** Why the API server refuses the pod of a job that waits for it; undefined if no pod is refused, or only by a ResourceQuota. */
  refusal: string | undefined;
  /** Why a step of a job has failed for long; undefined if none has. */
  stepFailure: string | undefined;
  headroom: Headroom;
  /** Sessions that wait for a job. */
  sessions: number;
  health: SourceHealth | undefined;
  /** Since when jobs stay queued because there is no room; milliseconds since the epoch. */
  heldSince: number | undefined;
  /** Whether this process knows all recorded jobs, so that a pod without a job is an orphan. */
  isAdopted: boolean;
}
