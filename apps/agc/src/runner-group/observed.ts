import type { SourceHealth } from '@interlock/broker';
import type { RunnerGroup } from '@interlock/api';
import type { GroupPod } from './group-pod.js';

/** What a ResourceQuota leaves for worker pods. */
export interface Headroom {
  /** How many more worker pods fit; Infinity without a quota that counts them. */
  pods: number;
  /** Which resource of which quota is short; undefined when none is. */
  shortage?: string | undefined;
}

export interface ObservedGroup {
  group: RunnerGroup;
  pods: readonly GroupPod[];
  /** Jobs on record that are not Concluding. */
  liveJobs: number;
  /** Those of them that have no worker pod yet. */
  stagedJobs: number;
  /** All jobs on record. */
  jobs: number;
  headroom: Headroom;
  /** Sessions that wait for a job. */
  sessions: number;
  health: SourceHealth | undefined;
  /** Since when jobs are left queued for want of room; milliseconds since the epoch. */
  heldSince: number | undefined;
  /** The jobs on record are all known to this process, so that a pod without one is an orphan. */
  isAdopted: boolean;
}
