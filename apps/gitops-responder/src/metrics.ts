import { Counter, Histogram, type Registry } from 'prom-client';

/** The metrics of the responder. Their labels are limited to the kinds of providers and outcomes. */
export interface ResponderMetrics {
  /** Counts a response that ended. */
  dispatched(provider: string, outcome: string): void;
  attempted(provider: string, outcome: string, seconds: number): void;
  /** Counts a response without a route. */
  routingMissed(): void;
  /** Records the time from opening a pull request to its merge. */
  merged(provider: string, seconds: number): void;
}

const minute = 60;
const hour = 3_600;
const day = 86_400;

/** Returns the metrics of responses, with the names that the reference documents; call it once per registry. */
export function prometheusResponderMetrics(registry: Registry): ResponderMetrics {
  const registers = [registry];
  const prefix = 'ugallu_gitops_responder';
  const dispatches = new Counter({
    name: `${prefix}_dispatches_total`,
    help: 'Responses that ended, by the provider of their route and by outcome.',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  const attempts = new Counter({
    name: `${prefix}_attempts_total`,
    help: 'Attempts to propose a change.',
    labelNames: ['outcome'],
    registers,
  });
  const misses = new Counter({
    name: `${prefix}_routing_misses_total`,
    help: 'Responses that took no route.',
    registers,
  });
  const seconds = new Histogram({
    name: `${prefix}_attempt_duration_seconds`,
    help: 'Duration of attempts.',
    labelNames: ['provider', 'outcome'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    registers,
  });
  const toMerge = new Histogram({
    name: `${prefix}_time_to_merge_seconds`,
    help: 'Time for which pull requests were open until they were merged.',
    labelNames: ['provider'],
    buckets: [minute, 10 * minute, hour, 4 * hour, 12 * hour, day, 3 * day, 7 * day, 30 * day],
    registers,
  });
  return {
    dispatched: (provider, outcome) => dispatches.inc({ provider, outcome }),
    attempted(provider, outcome, took) {
      attempts.inc({ outcome });
      seconds.observe({ provider, outcome }, took);
    },
    routingMissed: () => misses.inc(),
    merged: (provider, took) => toMerge.observe({ provider }, took),
  };
}
