import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';

const prefix = 'actions_gateway_';

/** Counters by name, with their description and their labels in addition to `namespace`. */
const counters = {
  jobs_acquired_total: ['Jobs that were claimed and recorded.', ['runner_group']],
  job_acquisition_errors_total: ['Offered jobs that could not be claimed.', ['reason']],
  jobs_admission_rejected_total: [
    'Jobs that were left queued because there was no room.',
    ['runner_group', 'reason'],
  ],
  jobs_duplicate_delivery_total: ['Further deliveries of a recorded job.', ['runner_group']],
  abandoned_delivery_completions_total: [
    'Further deliveries of a recorded job, which are concluded and not run.',
    ['runner_group', 'outcome'],
  ],
  jobs_ended_total: ['Jobs that ended, by how they ended.', ['runner_group', 'ending']],
  renew_job_errors_total: ['Failed renewals of the locks of jobs.', []],
  renew_job_teardowns_total: ['Jobs whose lock was lost.', ['reason']],
  eviction_retries_total: ['Runs that were run again after a disruption.', ['runner_group', 'cause']],
  eviction_retries_exhausted_total: [
    'Runs that were not run again because they reached spec.maxEvictionRetries.',
    ['runner_group', 'cause'],
  ],
  eviction_rerun_failures_total: ['Reruns that GitHub refused permanently.', ['runner_group', 'reason']],
  eviction_rerun_withheld_total: [
    'Reruns that were not requested because of the state of the run.',
    ['runner_group', 'reason'],
  ],
  eviction_recovery_identity_unknown_total: [
    'Disrupted jobs whose run is not known.',
    ['runner_group', 'cause'],
  ],
  quota_retries_total: ['Worker pods that a ResourceQuota refused.', ['runner_group']],
  quota_retries_exhausted_total: ['Jobs that were given up because of a ResourceQuota.', ['runner_group']],
  worker_scaleup_throttled_total: [
    'Times that a worker pod was not created because of spec.scaleUp.',
    ['runner_group'],
  ],
  worker_pods_reaped_total: ['Worker pods that were deleted.', ['runner_group', 'reason']],
  job_relaunches_total: [
    'Worker pods that replaced a pod in which the job cannot have started.',
    ['runner_group'],
  ],
} as const satisfies Record<string, readonly [help: string, labels: readonly string[]]>;

const gauges = {
  active_sessions: ['Sessions that wait for a job.', ['runner_group']],
  jobs_active: ['Recorded jobs.', ['runner_group']],
  worker_quota_exceeded: ['1 if a ResourceQuota has no room for a worker pod, else 0.', ['runner_group']],
  workers_unschedulable: ['Worker pods that cannot be scheduled.', ['runner_group']],
} as const satisfies Record<string, readonly [help: string, labels: readonly string[]]>;

const histograms = {
  pod_creation_latency_seconds: [
    'Seconds from the claim of a job until its worker pod runs.',
    [],
    [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300],
  ],
  job_duration_seconds: [
    'Seconds from the start of a worker pod to its end.',
    ['runner_group'],
    /* Up to nine hours: GitHub ends a job after six unless its workflow permits more. */
    Array.from({ length: 16 }, (_, n) => 2 ** n),
  ],
  renew_margin_seconds: [
    'Seconds until the expiry of a lock when it was renewed.',
    [],
    [0, 30, 60, 120, 240, 360, 480, 540, 600],
  ],
} as const satisfies Record<
  string,
  readonly [help: string, labels: readonly string[], buckets: readonly number[]]
>;

type Labels<T extends readonly [string, readonly string[], ...unknown[]]> = Record<T[1][number], string>;

/** The metrics that the AGC reports. */
export interface AgcMetrics {
  count<K extends keyof typeof counters>(name: K, labels: Labels<(typeof counters)[K]>): void;
  set<K extends keyof typeof gauges>(name: K, labels: Labels<(typeof gauges)[K]>, value: number): void;
  observe<K extends keyof typeof histograms>(
    name: K,
    labels: Labels<(typeof histograms)[K]>,
    value: number,
  ): void;
  /** Removes the current values of a RunnerGroup that another replica leads, which reports them. */
  withdraw(runnerGroup: string): void;
  /** Removes the series of a RunnerGroup that was deleted: its tenant can create any number of groups. */
  forget(runnerGroup: string): Promise<void>;
}

/** Creates the metrics of the AGC, labeled with the namespace that it serves; may be called once per registry. */
export function prometheusAgcMetrics(registry: Registry, namespace: string): AgcMetrics {
  const describe = (name: string, help: string, labels: readonly string[]) => ({
    name: prefix + name,
    help,
    labelNames: ['namespace', ...labels],
    registers: [registry],
  });
  const byName = {
    counters: mapValues(counters, (name, [help, labels]) => new Counter(describe(name, help, labels))),
    gauges: mapValues(gauges, (name, [help, labels]) => new Gauge(describe(name, help, labels))),
    histograms: mapValues(
      histograms,
      (name, [help, labels, buckets]) =>
        new Histogram({ ...describe(name, help, labels), buckets: [...buckets] }),
    ),
  };
  return {
    count: (name, labels) => byName.counters[name].inc({ namespace, ...labels }),
    set: (name, labels, value) => byName.gauges[name].set({ namespace, ...labels }, value),
    observe: (name, labels, value) => byName.histograms[name].observe({ namespace, ...labels }, value),
    withdraw(runner_group) {
      for (const gauge of Object.values(byName.gauges)) gauge.remove({ namespace, runner_group });
    },
    async forget(runnerGroup) {
      const all = Object.values(byName).flatMap((metrics): Metric[] => Object.values(metrics));
      for (const metric of all) await removeSeries(metric, runnerGroup);
    },
  };
}

async function removeSeries(metric: Metric, runnerGroup: string): Promise<void> {
  const { values } = await metric.get();
  for (const { labels } of values) {
    /* A histogram has a value for each bucket of a series. */
    const { le: _le, ...ofSeries } = labels;
    if (ofSeries['runner_group'] === runnerGroup) metric.remove(ofSeries);
  }
}

function mapValues<K extends string, V, R>(
  record: Record<K, V>,
  make: (name: K, value: V) => R,
): Record<K, R> {
  const entries = Object.entries<V>(record) as [K, V][];
  return Object.fromEntries(entries.map(([name, value]) => [name, make(name, value)])) as Record<K, R>;
}
