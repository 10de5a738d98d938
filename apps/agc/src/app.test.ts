import { expect, it } from '@jest/globals';
import { runnerAnnotations, runnerLabels, type RunnerGroup } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { Pod, type ConfigMap, type Reconciler, type Secret } from '@interlock/kube';
import type { MemoryCache } from '@interlock/kube/testing';
import { Registry } from 'prom-client';
import { addAgc } from './app.js';
import { encodeRecord } from './job/record.js';
import { group, now, record, worker } from './job/testing/builders.js';
import { memoryCaches } from './job/testing/memory-caches.js';
import { prometheusAgcMetrics } from './metrics.js';
import { workerPodName } from './worker-pod/build.js';

type AnyReconciler = Reconciler<Secret | RunnerGroup, unknown, unknown, unknown>;

const namespace = 'team-a';
const signal = AbortSignal.timeout(60_000);
const limited: RunnerGroup = {
  ...group,
  metadata: { ...group.metadata, generation: 1 },
  spec: { ...group.spec, maxWorkers: 2 },
  status: { observedGeneration: 1 },
};

function jobOf(planId: string, phase: 'Staged' | 'Running'): Secret {
  return {
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: {
      ...{ name: `job-${planId}`, namespace },
      labels: { [runnerLabels.runnerGroup]: 'linux', [runnerLabels.planId]: planId },
      annotations: { [runnerAnnotations.jobRecord]: encodeRecord({ ...record, planId, phase }) },
    },
  };
}

function podOf(planId: string): Pod {
  const labels = { [runnerLabels.runnerGroup]: 'linux', [runnerLabels.planId]: planId };
  const name = workerPodName('linux', { planId, launches: 0 });
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels } };
}

/** Starts a process that leads the group {@link limited}, with two jobs that run, one that waits for a place, and a rerun. */
function startAgc() {
  const reconcilers = new Map<string, AnyReconciler>();
  const woken: string[] = [];
  const jobs = [jobOf('one', 'Running'), jobOf('two', 'Running'), jobOf('three', 'Staged')];
  const rerun: ConfigMap = {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'rerun', namespace, labels: { [runnerLabels.runnerGroup]: 'linux' } },
  };
  const caches = memoryCaches(limited, podOf('one'), podOf('two'), ...jobs, rerun);
  const groups = addAgc({
    manager: {
      ...{ ...caches, client: {}, clock: new FakeClock(now), add: () => undefined },
      addReconciler(reconciler: AnyReconciler) {
        reconcilers.set(reconciler.name, reconciler);
        return { enqueue: ({ name }: { name: string }) => woken.push(name) };
      },
    },
    ...{ namespace, log: silentLog, worker, broker: {}, random: () => 0 },
    metrics: prometheusAgcMetrics(new Registry(), namespace),
  } as unknown as Parameters<typeof addAgc>[0]);
  groups.add('linux', { name: 'linux' } as ReturnType<typeof groups.list>[number], () => true);
  const reconcileJobs = async (): Promise<void> => {
    for (const secret of jobs)
      await reconcilers.get('job')?.observe(secret, { now, signal, isFresh: false, log: silentLog });
  };
  /** Concludes a reconcile of the group, and returns the names of the objects that it wakes. */
  const reconcileGroup = (drain: 'none' | 'ending'): string[] => {
    woken.length = 0;
    reconcilers.get('runner-group')?.concluded?.({
      ...{ object: limited, stored: limited, now, outcome: { reaped: [] } },
      observed: {
        group: limited,
        sessions: 1,
        liveJobs: 3,
        pods: [],
        stagedJobs: drain === 'none' ? 1 : 0,
        headroom: { pods: Infinity },
      },
      decision: { drain, capacity: {} },
    });
    return [...woken];
  };
  const removePod = (planId: string): void =>
    (caches.cache(Pod) as MemoryCache<Pod>).remove(podOf(planId).metadata);
  return { removePod, reconcileJobs, reconcileGroup };
}

it('wakes only the jobs that wait for a place, however many others the group has', async () => {
  const { removePod, reconcileJobs, reconcileGroup } = startAgc();
  await reconcileJobs();
  expect(reconcileGroup('none')).toEqual(['job-three']);
  removePod('one');
  await reconcileJobs();
  expect(reconcileGroup('none')).toEqual([]);
});

it('wakes all jobs of a deleted group when their timeout has passed', () => {
  const { reconcileGroup } = startAgc();
  expect(reconcileGroup('ending')).toEqual(['job-one', 'job-two', 'job-three', 'rerun']);
});
