import type { AgcContext } from '../context.js';
import { workerPodName } from '../worker-pod/build.js';
import { reportedResult } from './decide.js';
import { isPodOf } from './job-secret.js';
import { viewPod } from './pod-view.js';
import type { JobRecord } from './record.js';

/** Returns whether the runner of a recorded job has reported its result to the service. */
export function hasReported(
  { manager: { clock }, caches, namespace }: Pick<AgcContext, 'manager' | 'caches' | 'namespace'>,
  group: string,
  record: JobRecord,
): boolean {
  const named = caches.pods.get({ name: workerPodName(group, record), namespace });
  const end = named && isPodOf(named, record) ? viewPod(named, clock.now()).end : undefined;
  return record.end?.ending === 'reported' || (end !== undefined && reportedResult(end) !== undefined);
}
