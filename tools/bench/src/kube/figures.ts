import type { Measurement } from '../benchmark.js';
import type { Summary } from '../statistics.js';

const mebibyte = 1024 ** 2;

/** Returns the figures of latencies in milliseconds, or none if there are no latencies. */
export function latencyFigures(metric: string, summary: Summary | undefined): Measurement[] {
  if (summary === undefined) return [];
  return (['median', 'p99', 'most'] as const).map((key) => ({
    metric: `${metric}, ${key}`,
    value: summary[key],
    unit: 'ms',
  }));
}

export function memoryFigure(metric: string, bytes: number): Measurement {
  return { metric, value: bytes / mebibyte, unit: 'MiB' };
}
