import { expect, it } from '@jest/globals';
import { runnerAnnotations, runnerLabels, type RunnerGroup } from '@interlock/api';
import { Later, Secret, type Reconciler } from '@interlock/kube';
import { Registry } from 'prom-client';
import type { AgcContext } from '../context.js';
import { LedGroups } from '../group/led-groups.js';
import { FailingJobs } from '../job/failing-jobs.js';
import { group, now } from '../job/testing/builders.js';
import { prometheusAgcMetrics } from '../metrics.js';
import { addRunnerGroupReconciler } from './reconciler.js';

const noHandle = { enqueue: () => undefined };
type GroupReconciler = Reconciler<RunnerGroup, unknown, unknown, unknown>;

/** Returns the watches of a process with two groups, and the groups that the end of a claim wakes. */
function watchesWith(quotas: number) {
  const groups = new LedGroups();
  for (const name of ['linux', 'windows'])
    groups.add(name, { name } as ReturnType<LedGroups['list']>[number], () => true);
  let watches: NonNullable<GroupReconciler['watches']> = [];
  const ended: string[] = [];
  addRunnerGroupReconciler({
    ...{ namespace: 'team-a', groups, failing: new FailingJobs(), wake: () => undefined },
    caches: { quotas: { list: () => Array.from({ length: quotas }) } },
    manager: {
      addReconciler(reconciler: { watches: typeof watches }) {
        ({ watches } = reconciler);
        return { enqueue: ({ name }: { name: string }) => ended.push(name) };
      },
    },
  } as unknown as AgcContext);
  groups.settled();
  return { watches, ended };
}

/** Returns the groups that the change of an object of the group `linux` wakes, of each watch, and those that the end of a claim wakes. */
function wokenGroups(quotas: number) {
  const { watches, ended } = watchesWith(quotas);
  const object = { metadata: { name: 'plan-1', labels: { [runnerLabels.runnerGroup]: 'linux' } } };
  const woken = watches.map(({ map }) => map(object as never).map(({ name }) => name));
  return { woken, ended };
}

const [own, all] = [['linux'], ['linux', 'windows']];
it.each([
  ['only its own group without a quota', 0, [own, own, all], []],
  ['all groups that share a quota', 1, [all, all, all], all],
])('a pod, a job or the end of a claim wakes %s', (_title, quotas, woken, ended) => {
  expect(wokenGroups(quotas)).toEqual({ woken, ended });
});

it.each([
  ['is not woken when the end of the lock of a job is written', runnerAnnotations.lockedUntil, false],
  ['is woken when the record of a job changes', runnerAnnotations.jobRecord, true],
])('a group %s', (_title, annotation, isWoken) => {
  const secretOf = (value: string): Secret => ({
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { name: 'job-1', annotations: { [annotation]: value } },
  });
  const event = { type: 'updated' as const, old: secretOf('before'), object: secretOf('after') };
  const watch = watchesWith(1).watches.find(({ kind }) => kind === Secret);
  expect(watch?.predicate?.(event) ?? true).toBe(isWoken);
});

/** Observes a group that another replica leads. */
async function observeElsewhere(context: Partial<AgcContext>) {
  let observe: GroupReconciler['observe'] = () => new Later();
  addRunnerGroupReconciler({
    ...{ namespace: 'team-a', groups: new LedGroups(), failing: new FailingJobs(), caches: {} },
    metrics: prometheusAgcMetrics(new Registry(), 'team-a'),
    manager: { addReconciler: (reconciler: GroupReconciler) => (({ observe } = reconciler), noHandle) },
    ...context,
  } as unknown as AgcContext);
  await observe(group, { now } as Parameters<typeof observe>[1]);
}

it('forgets the failing jobs of a group that another replica leads', async () => {
  const failing = new FailingJobs();
  for (const name of ['linux', 'other']) failing.add(name, 'job-1', new Error('timeout'));
  await observeElsewhere({ failing });
  expect(['linux', 'other'].map((name) => failing.causeIn(name))).toEqual([undefined, 'timeout']);
});

it('reports no current values of a group that another replica leads', async () => {
  const registry = new Registry();
  const metrics = prometheusAgcMetrics(registry, 'team-a');
  metrics.set('jobs_active', { runner_group: 'other' }, 1);
  metrics.count('jobs_acquired_total', { runner_group: 'linux' });
  const before = await registry.metrics();
  metrics.set('jobs_active', { runner_group: 'linux' }, 12);
  await observeElsewhere({ metrics });
  expect(await registry.metrics()).toBe(before);
});
