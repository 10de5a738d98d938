import { textAt, type KubeObject } from '../../object.js';
import { finishedAt, hasFailed } from './job-pods.js';

const firstMs = 10_000;
const lastMs = 10 * 60_000;

/**
 * Returns the milliseconds for which a Job creates no pods. The delay starts at the last failure, and doubles with each
 * failure without a success. Source: Kubernetes pkg/controller/job/backoff_utils.go.
 *
 * @param now milliseconds since the epoch
 */
export function backoffOf(job: KubeObject, pods: readonly KubeObject[], now: number): number {
  const ends = pods
    .filter((pod) => textAt(pod, 'status', 'phase') === 'Succeeded' || hasFailed(pod, job))
    .map((pod) => ({ at: finishedAt(pod), failed: hasFailed(pod, job) }))
    .sort((a, b) => a.at - b.at);
  const lastSuccess = ends.findLastIndex(({ failed }) => !failed);
  const failures = ends.slice(lastSuccess + 1);
  const last = failures.at(-1);
  if (last === undefined) return 0;
  return Math.max(0, last.at + Math.min(lastMs, firstMs * 2 ** (failures.length - 1)) - now);
}
