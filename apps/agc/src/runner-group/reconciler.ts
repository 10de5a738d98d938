import { fieldManagers, RunnerGroup, runnerFinalizers, runnerLabels } from '@interlock/api';
import {
  Failure,
  generationChanged,
  Pod,
  ResourceQuota,
  Secret,
  type ControllerHandle,
} from '@interlock/kube';
import { cacheOptions } from '../caches.js';
import type { AgcContext } from '../context.js';
import { actOnGroup } from './act.js';
import { concludeGroup } from './conclude.js';
import { decideGroup } from './decide.js';
import { observeGroup } from './observe.js';

/** Adds the reconciler of RunnerGroups. Worker pods, recorded jobs, quotas and the job source trigger it. */
export function addRunnerGroupReconciler(context: AgcContext): ControllerHandle {
  const { manager, namespace, metrics, groups, scaleUp, caches } = context;
  const groupOf = ({ metadata }: Pick<Pod, 'metadata'>) => {
    const name = metadata.labels?.[runnerLabels.runnerGroup];
    return name === undefined ? [] : [{ name, namespace }];
  };
  const allGroups = () => groups.list().map(({ name }) => ({ name, namespace }));
  /* All groups share the quotas of the namespace, in which a job needs room until its pod is counted. */
  const concerned = (object: Pick<Pod, 'metadata'>) =>
    caches.quotas.list().length === 0 ? groupOf(object) : allGroups();
  const handle = manager.addReconciler({
    name: 'runner-group',
    fieldManager: fieldManagers.agc,
    transitions: { action: 'Reconcile' },
    finalizer: {
      name: runnerFinalizers.agentPoolCleanup,
      isNeeded: (_decision, { group }) => group.metadata.deletionTimestamp === undefined,
    },
    for: { kind: RunnerGroup, cache: { namespace }, predicate: generationChanged },
    watches: [
      { kind: Pod, cache: cacheOptions.pods(namespace), map: concerned },
      { kind: Secret, cache: cacheOptions.jobs(namespace), map: concerned },
      { kind: ResourceQuota, cache: { namespace }, map: allGroups },
    ],
    observe: (group, { now }) => observeGroup(context, group, now),
    decide: decideGroup,
    act: (decision, observed, step) => actOnGroup(context, decision, observed, step),
    conclude: concludeGroup,
    concluded({ object, observed, decision, outcome }) {
      const labels = { runner_group: object.metadata.name };
      metrics.set('active_sessions', labels, observed.sessions);
      metrics.set('jobs_active', labels, observed.liveJobs);
      metrics.set('worker_quota_exceeded', labels, decision.capacity.shortage?.reason === 'quota' ? 1 : 0);
      metrics.set(
        'workers_unschedulable',
        labels,
        observed.pods.filter(({ unschedulable }) => unschedulable).length,
      );
      if (observed.stagedJobs > 0) context.wake(object.metadata.name);
      if (outcome instanceof Failure) return;
      for (const { reason } of outcome.reaped)
        metrics.count('worker_pods_reaped_total', { ...labels, reason });
    },
    forgotten({ name }) {
      void metrics.forget(name);
      scaleUp.forget(name);
    },
  });
  groups.onSettled(() => {
    if (caches.quotas.list().length > 0) for (const key of allGroups()) handle.enqueue(key);
  });
  groups.onChange((name) => {
    handle.enqueue({ name, namespace });
    /* Until now, this replica has not reconciled the jobs and reruns of a group that it starts to lead. */
    if (groups.get(name)?.isAdopted === true) context.wake(name);
  });
  return handle;
}
