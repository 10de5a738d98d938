import { isTyped } from '@interlock/api';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts and times every git operation, and counts every git process. */
export interface GitMetrics {
  /** Counts a started process. */
  started(operation: string): void;
  /** Milliseconds. */
  observe(operation: string, result: string, durationMs: number): void;
  /** Counts an operation of a long-lived process, without a duration. */
  count(operation: string, result: string): void;
}

const processesMetric = 'git_processes_total';
const operationsMetric = 'git_operations_total';
const durationMetric = 'git_operations_duration_seconds';

/** Returns the metrics in `registry`, which are shared if they exist already; without a registry nothing is recorded. */
export function gitMetrics(registry: Registry | undefined): GitMetrics {
  if (!registry) return { started: () => undefined, observe: () => undefined, count: () => undefined };
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    (registry.getSingleMetric(name) as Counter<Label> | undefined) ??
    new Counter({ name, help, labelNames, registers: [registry] });
  const processes = counter(processesMetric, 'Git processes started, by git operation.', ['operation']);
  const operations = counter(
    operationsMetric,
    'Git operations, with a process or without, by operation and result (success, or the type of the error).',
    ['operation', 'result'],
  );
  const duration =
    (registry.getSingleMetric(durationMetric) as Histogram<'operation'> | undefined) ??
    new Histogram({
      name: durationMetric,
      help: 'Duration of git operations in seconds, by operation.',
      labelNames: ['operation'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
      registers: [registry],
    });
  return {
    started: (operation) => processes.inc({ operation }),
    observe(operation, result, durationMs) {
      operations.inc({ operation, result });
      duration.observe({ operation }, durationMs / 1000);
    },
    count: (operation, result) => operations.inc({ operation, result }),
  };
}

/** Returns the label `result` of an operation that failed. */
export function outcomeOf(error: unknown): string {
  return isTyped(error) ? error.type : 'Aborted';
}
