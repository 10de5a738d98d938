import type { AgcMetrics } from '../metrics.js';
import type { RerunCause, RerunResult } from './record.js';

/** Counts a rerun that has ended. */
export function countRerun(metrics: AgcMetrics, group: string, cause: RerunCause, result: RerunResult): void {
  const labels = { runner_group: group };
  switch (result) {
    case 'made':
      return metrics.count('eviction_retries_total', { ...labels, cause });
    case 'exhausted':
      return metrics.count('eviction_retries_exhausted_total', { ...labels, cause });
    case 'superseded':
    case 'withheld':
      return metrics.count('eviction_rerun_withheld_total', { ...labels, reason: result });
    case 'refused':
    case 'tooLate':
    case 'notFound':
      return metrics.count('eviction_rerun_failures_total', { ...labels, reason: result });
  }
}
