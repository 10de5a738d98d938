import { ifFound, TypedError } from '@interlock/api';
import { Later, Pod, type Observation, type ObserveContext, type Secret } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { groupNameOf } from '../group-objects.js';
import { workerPodName } from '../worker-pod/build.js';
import { isPodOf } from './job-secret.js';
import type { ObservedJob, Place } from './observed.js';
import { placeInGroup } from './place.js';
import { viewPod } from './pod-view.js';
import { jobSettings } from './settings.js';
import { recordOf } from './store.js';

/** The observation of a job whose RunnerGroup this replica does not lead: nothing is done. */
const notLed = new Later();

/**
 * Reads the input of the state machine of a job from caches and from the memory of this process.
 *
 * @throws TypedError `Permanent` when the record cannot be read, which is reported as an event: a Secret has no status
 */
export async function observeJob(
  context: AgcContext,
  secret: Secret,
  step: Pick<ObserveContext, 'now' | 'isFresh' | 'signal'>,
): Promise<Observation<ObservedJob>> {
  const { caches, groups, locks, namespace } = context;
  const name = groupNameOf(secret);
  const work = groups.get(name);
  const group = caches.groups.get({ name, namespace });
  if (work === undefined || group === undefined) return notLed;
  const record = recordOf(secret);
  if (record === undefined) {
    throw new TypedError(
      'Permanent',
      `the record of a job in Secret ${secret.metadata.name} cannot be read; delete the Secret if no worker pod runs for it`,
      { reason: 'InvalidRecord' },
    );
  }
  const podName = workerPodName(name, record);
  const named = await podOf(context, podName, step);
  const own = named && isPodOf(named, record) ? named : undefined;
  const pod = own ?? context.endedPods.get(secret.metadata.name, podName);
  const needsPlace = pod === undefined && record.phase === 'Staged';
  const place: Place = needsPlace ? placeInGroup(context, group) : { type: 'free' };
  /* Nothing is awaited since the caches were read: the event of a place that becomes free later wakes the job. */
  if (place.type === 'full') context.places.wait(name, secret.metadata.name);
  return {
    secret,
    record,
    group,
    pod: pod && viewPod(pod, step.now, record.stop),
    lock: locks.view(secret.metadata.name),
    place,
    settings: jobSettings(group),
    isRetiring: work.isRetiring,
  };
}

async function podOf(
  { manager: { client }, caches, namespace }: AgcContext,
  name: string,
  { isFresh, signal }: Pick<ObserveContext, 'isFresh' | 'signal'>,
): Promise<Pod | undefined> {
  const key = { name, namespace };
  return isFresh ? ifFound(client.get(Pod, key, { signal })) : caches.pods.get(key);
}
