import { expect, it } from '@jest/globals';
import { runnerFinalizers, type Kind, type RunnerGroup } from '@interlock/api';
import { aborted } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { Client } from '@interlock/kube';
import { TestManager } from '@interlock/kube/testing';
import { agcCaches } from '../caches.js';
import type { AgcContext } from '../context.js';
import type { GroupWork } from '../group/group-work.js';
import { LedGroups } from '../group/led-groups.js';
import { Places } from '../group/places.js';
import { ScaleUp } from '../group/scale-up.js';
import { FailingJobs } from '../job/failing-jobs.js';
import { group, now, worker } from '../job/testing/builders.js';
import { JobLocks } from '../lock/job-locks.js';
import { prometheusAgcMetrics } from '../metrics.js';
import { addRunnerGroupReconciler } from './reconciler.js';

const namespace = 'team-a';
const deletionTimestamp = new Date(now).toISOString();

function groupOf(name: string, changes: Partial<RunnerGroup['metadata']> = {}): RunnerGroup {
  const finalizers = [runnerFinalizers.agentPoolCleanup];
  return { ...group, metadata: { name, namespace, uid: name, resourceVersion: '1', finalizers, ...changes } };
}

/** Returns a client of an API server that has these groups and no other objects, and refuses all changes. */
function clientOf(items: RunnerGroup[]): Client {
  const refuse = () => Promise.reject(new Error('refused'));
  return {
    ...{ create: refuse, patch: refuse, update: refuse, apply: refuse, get: refuse },
    async *listPages({ kind }: Kind) {
      yield { items: kind === 'RunnerGroup' ? items : [], resourceVersion: '1' };
    },
    watch: (_kind: Kind, { signal }: { signal: AbortSignal }) => ({
      [Symbol.asyncIterator]: () => ({ next: () => aborted(signal).then(() => ({ done: true })) }),
    }),
  } as unknown as Client;
}

it('sets the capacity of a group while GitHub does not answer the removal of the runners of many others', async () => {
  const deleted = Array.from({ length: 20 }, (_, index) => groupOf(`old-${index}`, { deletionTimestamp }));
  const items = [...deleted, groupOf('linux')];
  const test = new TestManager(clientOf(items), new FakeClock(now), 'agc');
  const answers: (() => void)[] = [];
  const capacities: string[] = [];
  const groups = new LedGroups();
  const hasCapacity = new Promise<void>((resolve) => {
    for (const { metadata } of items) {
      const { name } = metadata;
      const work = {
        ...{ name, isAdopted: true, source: { sessions: 1 }, followSpec: () => undefined },
        setCapacity: () => (capacities.push(name), name === 'linux' && resolve()),
        retire: () => new Promise((answer) => answers.push(() => answer({ pinned: 1 }))),
      };
      groups.add(name, work as unknown as GroupWork, () => true);
    }
  });
  addRunnerGroupReconciler({
    ...{ namespace, groups, worker, manager: test.manager, caches: agcCaches(test.manager, namespace) },
    ...{ places: new Places(), scaleUp: new ScaleUp(), locks: new JobLocks(), failing: new FailingJobs() },
    ...{ metrics: prometheusAgcMetrics(test.registry, namespace), wake: () => undefined },
  } as unknown as AgcContext);
  test.run();
  await hasCapacity;
  expect(capacities).toHaveLength(items.length);
  for (const answer of answers) answer();
  await test.stop();
});
