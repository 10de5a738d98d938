import type { Logger } from '@interlock/base';
import type { Runs } from '@interlock/broker';
import type { EventRecorder, Manager } from '@interlock/kube';
import type { JobLocks } from './lock/job-locks.js';
import type { EndedPods } from './job/ended-pods.js';
import type { FailingJobs } from './job/failing-jobs.js';
import type { JobStore } from './job/store.js';
import type { Tracer } from '@opentelemetry/api';
import type { AgcMetrics } from './metrics.js';
import type { EndedJobs } from './group/ended-jobs.js';
import type { LedGroups } from './group/led-groups.js';
import type { Places } from './group/places.js';
import type { ScaleUp } from './group/scale-up.js';
import type { AgcCaches } from './caches.js';
import type { WorkerSettings } from './worker-pod/build.js';
import type { RerunStore } from './rerun/store.js';

/** The dependencies of all parts of the process. */
export interface AgcProcess {
  manager: Manager;
  log: Logger;
  tracer: Tracer;
  metrics: AgcMetrics;
  events: Pick<EventRecorder, 'record'>;
  /** Uniform in [0, 1). */
  random: () => number;
  /** The only namespace that the process reads and writes. */
  namespace: string;
  worker: WorkerSettings;
}

/** The state and the clients that the reconcilers of the process share. */
export interface AgcContext extends AgcProcess {
  caches: AgcCaches;
  jobs: JobStore;
  reruns: RerunStore;
  /** GitHub's REST API for runs and jobs. */
  runs: Runs;
  /**
   * Returns the repositories that the gateway serves, as `owner/name`, in which the run of a lost claim is searched for.
   */
  repositories: (signal: AbortSignal) => Promise<string[]>;
  ended: EndedJobs;
  endedPods: EndedPods;
  failing: FailingJobs;
  locks: JobLocks;
  groups: LedGroups;
  places: Places;
  scaleUp: ScaleUp;
  /** Reconciles the jobs and the reruns of a RunnerGroup, which can continue now. */
  wake: (group: string) => void;
  /** Reconciles jobs of a RunnerGroup, by the names of their Secrets. */
  wakeJobs: (names: readonly string[]) => void;
}
