import type { Pod, Secret } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { groupNameOf } from '../group-objects.js';
import { jobSecretOfPod } from './job-secret.js';
import { recordOf } from './store.js';
import { workerPodName } from '../worker-pod/build.js';

/** Gives back what is kept for a job whose record is gone, and its place: its pod may have been removed before the cache had it. */
export function forgetJob({ locks, endedPods, groups, places, failing }: AgcContext, secret: Secret): void {
  const { name } = secret.metadata;
  locks.drop(name);
  endedPods.forget(name);
  for (const work of groups.list()) work.forgetJob(name);
  const group = groupNameOf(secret);
  failing.remove(group, name);
  const record = recordOf(secret);
  if (record !== undefined) places.release(group, workerPodName(group, record));
}

/** Keeps the last state of a removed pod if its job is recorded. */
export function keepEnd({ caches, endedPods, namespace }: AgcContext, pod: Pod): void {
  const name = jobSecretOfPod(pod);
  if (name !== undefined && caches.jobs.get({ name, namespace }) !== undefined) endedPods.keep(name, pod);
}
