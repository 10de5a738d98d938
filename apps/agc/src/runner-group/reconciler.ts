import { RunnerGroup, runnerFinalizers } from '@interlock/api';
import { generationChanged, Later, Pod, ResourceQuota, Secret, type ControllerHandle } from '@interlock/kube';
import { cacheOptions } from '../caches.js';
import type { AgcContext } from '../context.js';
import { groupNameOf } from '../group-objects.js';
import { recordChanged } from '../job/store.js';
import { actOnGroup } from './act.js';
import { concludeGroup } from './conclude.js';
import { countGroup } from './count.js';
import { decideGroup } from './decide.js';
import { observeGroup } from './observe.js';

/** Number of groups that are reconciled concurrently: those that are deleted wait for GitHub, which must not delay the others. */
const concurrency = 32;

/** Adds the reconciler of RunnerGroups. Worker pods, recorded jobs, quotas and the job source trigger it. */
export function addRunnerGroupReconciler(context: AgcContext): ControllerHandle {
  const { manager, namespace, metrics, groups, places, scaleUp, caches, failing } = context;
  const groupOf = (object: Pod | Secret) => {
    const name = groupNameOf(object);
    return name === '' ? [] : [{ name, namespace }];
  };
  const allGroups = () => groups.list().map(({ name }) => ({ name, namespace }));
  /* All groups share the quotas of the namespace, in which a job needs room until its pod is counted. */
  const concerned = (object: Pod | Secret) =>
    caches.quotas.list().length === 0 ? groupOf(object) : allGroups();
  const handle = manager.addReconciler({
    name: 'runner-group',
    concurrency,
    finalizer: {
      name: runnerFinalizers.agentPoolCleanup,
      isNeeded: (_decision, { group }) => group.metadata.deletionTimestamp === undefined,
    },
    for: { kind: RunnerGroup, cache: { namespace }, predicate: generationChanged },
    watches: [
      { kind: Pod, cache: cacheOptions.pods(namespace), map: concerned },
      { kind: Secret, cache: cacheOptions.jobs(namespace), predicate: recordChanged, map: concerned },
      { kind: ResourceQuota, cache: { namespace }, map: allGroups },
    ],
    observe(group, { now }) {
      const observation = observeGroup(context, group, now);
      if (observation instanceof Later) {
        metrics.withdraw(group.metadata.name);
        failing.forget(group.metadata.name);
      }
      return observation;
    },
    decide: decideGroup,
    act: (decision, observed, step) => actOnGroup(context, decision, observed, step),
    conclude: concludeGroup,
    concluded({ object, observed, decision, outcome }) {
      countGroup(metrics, observed, decision, outcome);
      const { name, generation } = object.metadata;
      const waiting = places.takeWaiting(name);
      /* Reruns wait until times that follow from the spec. */
      const isChanged = object.status?.observedGeneration !== generation;
      if (isChanged || decision.drain === 'ending') context.wake(name);
      else context.wakeJobs(waiting);
    },
    forgotten({ name }) {
      void metrics.forget(name);
      scaleUp.forget(name);
      places.takeWaiting(name);
    },
  });
  groups.onSettled(() => {
    if (caches.quotas.list().length > 0) for (const key of allGroups()) handle.enqueue(key);
  });
  failing.onChange((name) => handle.enqueue({ name, namespace }));
  groups.onChange((name) => {
    handle.enqueue({ name, namespace });
    /* Until now, this replica has not reconciled the jobs and reruns of a group that it starts to lead. */
    if (groups.get(name)?.isAdopted === true) context.wake(name);
  });
  return handle;
}
