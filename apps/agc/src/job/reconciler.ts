import { Failure, Pod, Secret, type ControllerHandle } from '@interlock/kube';
import { cacheOptions } from '../caches.js';
import type { AgcContext } from '../context.js';
import { groupNameOf } from '../group-objects.js';
import { actOnJob } from './act.js';
import { concludeJob, jobEvents } from './conclude.js';
import { decideJob } from './decide.js';
import { countJob } from './count.js';
import { forgetJob, keepEnd } from './forget.js';
import { jobSecretOfPod } from './job-secret.js';
import { logJob } from './log.js';
import { observeJob } from './observe.js';

const concurrency = 32;

/** Adds the reconciler of jobs, whose objects are the Secrets of jobs. The worker pod of a job and its lock trigger it. */
export function addJobReconciler(context: AgcContext): ControllerHandle {
  const { manager, namespace, metrics, events, locks, places, groups, failing, caches } = context;
  const handle = manager.addReconciler({
    name: 'job',
    for: { kind: Secret, cache: cacheOptions.jobs(namespace) },
    watches: [
      {
        kind: Pod,
        cache: cacheOptions.pods(namespace),
        map: (pod) => {
          const name = jobSecretOfPod(pod);
          return name === undefined ? [] : [{ name, namespace }];
        },
      },
    ],
    concurrency,
    observe: (secret, { now, isFresh, signal }) => observeJob(context, secret, { now, isFresh, signal }),
    decide: decideJob,
    /* A pod that is not in the cache may have been created by the replica that led before. */
    needsFresh: (decision, { pod }) => decision.type === 'conclude' && pod === undefined,
    act: (decision, observed, step) => actOnJob(context, decision, observed, step),
    conclude: concludeJob,
    concluded({ object, observed, decision, outcome, now }) {
      for (const event of jobEvents(observed, decision, outcome)) events.record(observed.group, event);
      const group = observed.group.metadata.name;
      const { name } = object.metadata;
      if (outcome instanceof Failure) {
        /* What is kept for a job is given back when its record is removed, which can be before the step fails. */
        const isRecorded = caches.jobs.get({ name, namespace }) !== undefined;
        if (outcome.lasts && isRecorded) failing.add(group, name, outcome.error);
        return;
      }
      failing.remove(group, name);
      countJob(metrics, observed, decision, outcome, now);
      logJob(groups.get(group)?.log, observed, decision, outcome);
    },
  });
  caches.pods.subscribe(({ type, object }) => {
    if (type !== 'deleted') places.release(groupNameOf(object), object.metadata.name);
    else keepEnd(context, object);
  });
  /* Not `forgotten`: a lock is renewed before the record of its job is in the cache. */
  caches.jobs.subscribe(({ type, object }) => {
    if (type === 'deleted') forgetJob(context, object);
  });
  locks.onChange((name) => handle.enqueue({ name, namespace }));
  return handle;
}
