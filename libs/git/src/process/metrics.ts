import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts and times every git process. */
export interface ProcessMetrics {
  /** Milliseconds. */
  observe(operation: string, result: string, durationMs: number): void;
  /** For processes that live on and have no duration to speak of. */
  count(operation: string, result: string): void;
}

const OPERATIONS = 'git_operations_total';
const DURATION = 'git_operations_duration_seconds';

/** @returns metrics in `registry`, shared when they are there already; without a registry nothing is kept. */
export function processMetrics(registry: Registry | undefined): ProcessMetrics {
  if (!registry) return { observe: () => undefined, count: () => undefined };
  const operations =
    (registry.getSingleMetric(OPERATIONS) as Counter<'operation' | 'result'> | undefined) ??
    new Counter({
      name: OPERATIONS,
      help: 'Git processes started, by git operation and result (success, or the type of the error).',
      labelNames: ['operation', 'result'],
      registers: [registry],
    });
  const duration =
    (registry.getSingleMetric(DURATION) as Histogram<'operation'> | undefined) ??
    new Histogram({
      name: DURATION,
      help: 'Duration of git processes in seconds, by git operation.',
      labelNames: ['operation'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
      registers: [registry],
    });
  return {
    observe(operation, result, durationMs) {
      operations.inc({ operation, result });
      duration.observe({ operation }, durationMs / 1000);
    },
    count: (operation, result) => operations.inc({ operation, result }),
  };
}
