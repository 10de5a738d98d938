import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CacheMetrics } from '../cache/metrics.js';
import { prometheusCacheMetrics } from '../cache/prometheus.js';
import type { ClientMetrics } from '../client/metrics.js';
import { prometheusClientMetrics } from '../client/prometheus.js';
import type { ControllerMetrics, QueueMetrics, RuntimeMetrics } from './metrics-types.js';

/** controller-runtime's buckets of `controller_runtime_reconcile_time_seconds`. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** client-go's buckets of the queue's histograms: powers of ten from 10 ns. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** Reasons for which events are dropped (`EventRecorder`). */
const eventDropReasons = ['queue_full', 'series_full', 'refused'];

/** The metrics of the runtime, the client and the caches. */
type KubeMetrics = RuntimeMetrics & ClientMetrics & CacheMetrics;

/**
 * Returns the metrics of the runtime, the client and the caches under the names and labels of controller-runtime and
 * client-go, so that their dashboards work. It may be called once per registry.
 */
export function createKubeMetrics(registry: Registry): KubeMetrics {
  const registers = [registry];
  const leader = new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process holds the lease: 1 if it does, 0 otherwise.',
    labelNames: ['name'],
    registers,
  });
  const slowPath = new Counter({
    name: 'leader_election_slowpath_total',
    help: 'Renewals for which the lease had to be read first.',
    labelNames: ['name'],
    registers,
  });
  const dropped = new Counter({
    name: 'interlock_events_dropped_total',
    help: 'Kubernetes events that were not written.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of eventDropReasons) dropped.inc({ reason }, 0);
  return {
    ...prometheusClientMetrics(registry),
    ...prometheusCacheMetrics(registry),
    queue: queueMetrics(registry),
    controller: controllerMetrics(registry),
    leader(name, leads) {
      leader.set({ name }, leads ? 1 : 0);
      slowPath.inc({ name }, 0);
    },
    leaderSlowPath: (name) => slowPath.inc({ name }),
    eventDropped: (reason) => dropped.inc({ reason }),
  };
}

function queueMetrics(registry: Registry): (name: string) => QueueMetrics {
  const common = { labelNames: ['name', 'controller'], registers: [registry] };
  const inFlight = new Map<string, () => readonly number[]>();
  const counter = (name: string, help: string): Counter => new Counter({ ...common, name, help });
  const duration = (name: string, help: string): Histogram =>
    new Histogram({ ...common, name, help, buckets: queueBuckets });
  const depth = new Gauge({
    ...common,
    name: 'workqueue_depth',
    help: 'Number of keys that wait in the queue.',
  });
  const adds = counter('workqueue_adds_total', 'Keys that were added to the queue.');
  const retries = counter('workqueue_retries_total', 'Retries handled by the queue.');
  const waited = duration(
    'workqueue_queue_duration_seconds',
    'Time for which a key waits in the queue before it is processed.',
  );
  const worked = duration('workqueue_work_duration_seconds', 'Duration of the processing of a key.');
  const collected = (name: string, help: string, value: (durationsMs: readonly number[]) => number): Gauge =>
    new Gauge({
      ...common,
      name,
      help,
      collect() {
        for (const [queue, durations] of inFlight) {
          this.set({ name: queue, controller: queue }, value(durations()) / 1000);
        }
      },
    });
  collected(
    'workqueue_unfinished_work_seconds',
    'Total duration of the work in progress that workqueue_work_duration_seconds does not include yet.',
    (durations) => durations.reduce((sum, ms) => sum + ms, 0),
  );
  collected(
    'workqueue_longest_running_processor_seconds',
    'Duration of the longest work in progress.',
    (durations) => Math.max(0, ...durations),
  );
  return (name) => {
    const labels = { name, controller: name };
    depth.set(labels, 0);
    for (const counter of [adds, retries]) counter.inc(labels, 0);
    return {
      depth: (keys) => depth.set(labels, keys),
      added: () => adds.inc(labels),
      retried: () => retries.inc(labels),
      waited: (seconds) => waited.observe(labels, seconds),
      worked: (seconds) => worked.observe(labels, seconds),
      observeInFlight: (durationsMs) => inFlight.set(name, durationsMs),
    };
  };
}

function controllerMetrics(registry: Registry): (name: string) => ControllerMetrics {
  const registers = [registry];
  const counter = (name: string, help: string, ...labels: string[]): Counter =>
    new Counter({
      name: `controller_runtime_${name}`,
      help,
      labelNames: ['controller', ...labels],
      registers,
    });
  const gauge = (name: string, help: string): Gauge =>
    new Gauge({ name: `controller_runtime_${name}`, help, labelNames: ['controller'], registers });
  const total = counter('reconcile_total', 'Reconciles by controller and result.', 'result');
  const errors = counter('reconcile_errors_total', 'Reconciles that failed.');
  const terminal = counter(
    'terminal_reconcile_errors_total',
    'Reconciles that failed and are not retried until something changes.',
  );
  const panics = counter('reconcile_panics_total', 'Reconciles that ended with an unknown type of error.');
  const timeouts = counter('reconcile_timeouts_total', 'Reconciles that reached their timeout.');
  const workers = gauge('max_concurrent_reconciles', 'Maximum number of concurrent reconciles.');
  const active = gauge('active_workers', 'Reconciles in progress.');
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of reconciles.',
    labelNames: ['controller'],
    buckets: reconcileBuckets,
    registers,
  });
  return (controller) => {
    for (const failures of [errors, terminal, panics, timeouts]) failures.inc({ controller }, 0);
    return {
      maxConcurrent: (count) => workers.set({ controller }, count),
      activeWorkers: (count) => active.set({ controller }, count),
      reconciled: (result, seconds) => {
        total.inc({ controller, result });
        time.observe({ controller }, seconds);
      },
      failed: () => errors.inc({ controller }),
      failedTerminally: () => terminal.inc({ controller }),
      panicked: () => panics.inc({ controller }),
      timedOut: () => timeouts.inc({ controller }),
    };
  };
}
