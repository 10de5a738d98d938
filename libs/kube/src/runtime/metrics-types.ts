/** The metrics of one work queue; all durations in seconds (client-go: workqueue.MetricsProvider). */
export interface QueueMetrics {
  depth(keys: number): void;
  added(): void;
  retried(): void;
  /** Records the time between the addition of a key and the start of its processing. */
  waited(seconds: number): void;
  /** Records the duration of the processing of a key. */
  worked(seconds: number): void;
  /** Registers a function that returns the milliseconds for which each key in progress has been processed. */
  observeInFlight(durationsMs: () => readonly number[]): void;
}

/** The label `result` of `controller_runtime_reconcile_total`. */
type ReconcileResultLabel = 'success' | 'error' | 'requeue_after';

/** The metrics of one controller. */
export interface ControllerMetrics {
  maxConcurrent(workers: number): void;
  activeWorkers(workers: number): void;
  reconciled(result: ReconcileResultLabel, seconds: number): void;
  failed(): void;
  failedTerminally(): void;
  panicked(): void;
  timedOut(): void;
}

/** The metrics of the runtime; `createKubeMetrics` of `@interlock/kube/metrics` implements them for Prometheus. */
export interface RuntimeMetrics {
  queue(name: string): QueueMetrics;
  controller(name: string): ControllerMetrics;
  /** Records 1 while this process holds the lease, 0 otherwise. */
  leader(lease: string, leading: boolean): void;
  /** Records a renewal that had to read the lease first. */
  leaderSlowPath(lease: string): void;
  eventDropped(reason: string): void;
}

const nothing = (): void => undefined;

/** Metrics that record nothing. */
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
