/** What one work queue reports; all durations in seconds (client-go: workqueue.MetricsProvider). */
export interface QueueMetrics {
  depth(keys: number): void;
  added(): void;
  retried(): void;
  /** Time between the add of a key and the start of the work on it. */
  waited(seconds: number): void;
  /** Time the work on a key took. */
  worked(seconds: number): void;
  /** Hands over a function that yields, for each key being worked on, for how many milliseconds it has been. */
  observeInFlight(durationsMs: () => readonly number[]): void;
}

/** The label `result` of `controller_runtime_reconcile_total`. */
type ReconcileResultLabel = 'success' | 'error' | 'requeue' | 'requeue_after';

/** What one controller reports. */
export interface ControllerMetrics {
  maxConcurrent(workers: number): void;
  activeWorkers(workers: number): void;
  reconciled(result: ReconcileResultLabel, seconds: number): void;
  failed(): void;
  failedTerminally(): void;
  panicked(): void;
  timedOut(): void;
}

/** What the runtime reports; `createKubeMetrics` of `@interlock/kube/metrics` does it for Prometheus. */
export interface RuntimeMetrics {
  queue(name: string): QueueMetrics;
  controller(name: string): ControllerMetrics;
  /** 1 while this process holds the lease, 0 otherwise. */
  leader(lease: string, leading: boolean): void;
  /** A renewal that had to read the lease first. */
  leaderSlowPath(lease: string): void;
  eventDropped(reason: string): void;
}

const nothing = (): void => undefined;

/** Reports nothing. */
export const noMetrics: RuntimeMetrics = {
  queue: () => ({
    depth: nothing,
    added: nothing,
    retried: nothing,
    waited: nothing,
    worked: nothing,
    observeInFlight: nothing,
  }),
  controller: () => ({
    maxConcurrent: nothing,
    activeWorkers: nothing,
    reconciled: nothing,
    failed: nothing,
    failedTerminally: nothing,
    panicked: nothing,
    timedOut: nothing,
  }),
  leader: nothing,
  leaderSlowPath: nothing,
  eventDropped: nothing,
};
