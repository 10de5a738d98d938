import { expect, it } from '@jest/globals';
import { runnerAnnotations, runnerLabels } from '@interlock/api';
import { Problem } from '@interlock/base';
import { Later, type Cache, type Pod, type ResourceQuota, type Secret } from '@interlock/kube';
import { agcCaches } from '../caches.js';
import type { AgcContext } from '../context.js';
import { FailingJobs } from '../job/failing-jobs.js';
import { encodeRecord } from '../job/record.js';
import { group, idleLock, lockParts, now, podQuota, record, worker } from '../job/testing/builders.js';
import { memoryCaches } from '../job/testing/memory-caches.js';
import { JobLocks } from '../lock/job-locks.js';
import { observeGroup } from './observe.js';
import type { ObservedGroup } from './observed.js';

interface Inputs {
  pods?: Pod[];
  jobs?: Secret[];
  locks?: JobLocks;
  /** Those of other groups. */
  others?: { pods: Pod[]; jobs: Secret[] };
  quotas?: ResourceQuota[];
  /** The number of claims of another group that this replica leads, whose jobs are not recorded. */
  claims?: number;
}

/** Returns what is observed of a group with these pods and Secrets of jobs. */
function observe({
  pods = [],
  jobs = [],
  locks = new JobLocks(),
  others = { pods: [], jobs: [] },
  quotas = [],
  claims = 0,
}: Inputs): ObservedGroup {
  const context = {
    ...{ locks, worker, failing: new FailingJobs() },
    caches: agcCaches(memoryCaches(...pods, ...jobs, ...others.pods, ...others.jobs, ...quotas), 'team-a'),
    groups: {
      get: () => ({ source: { sessions: 1 }, isAdopted: true }),
      list: () => [{ name: 'windows', unobservedJobs: () => claims }],
    },
  } as unknown as AgcContext;
  const observed = observeGroup(context, group, now);
  if (observed instanceof Later || observed instanceof Problem) throw new Error('not observed');
  return observed;
}

it('knows the job of a pod by its lock before the record of the job is in the cache', () => {
  const locks = new JobLocks();
  locks.keep('job-plan-1', [idleLock], lockParts());
  const labels = { [runnerLabels.runnerGroup]: 'linux', [runnerLabels.planId]: 'plan-1' };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'runner-linux-plan-1', labels } };
  const hasJob = () => observe({ pods: [pod], locks }).pods.map((one) => one.hasJob);
  expect(hasJob()).toEqual([true]);
  locks.markLost('job-plan-1');
  expect(hasJob()).toEqual([false]);
});

it('does not wait for the end of a job whose record cannot be read', () => {
  const labels = { [runnerLabels.runnerGroup]: 'linux' };
  const annotations = { [runnerAnnotations.jobRecord]: '{"version":2}' };
  const jobs: Secret[] = [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'job-plan-1', labels, annotations } },
  ];
  expect(observe({ jobs })).toMatchObject({ jobs: 0, liveJobs: 0 });
});

it('leaves the headroom of a quota to jobs of other groups that have no pod yet or are being claimed', () => {
  const labels = (plan: string) => ({ [runnerLabels.runnerGroup]: 'windows', [runnerLabels.planId]: plan });
  const annotations = { [runnerAnnotations.jobRecord]: encodeRecord(record) };
  const secret = (plan: string): Secret => ({
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { name: `job-${plan}`, labels: labels(plan), annotations },
  });
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'started', labels: labels('started') },
  };
  const others = { pods: [pod], jobs: ['started', 'waiting'].map(secret) };
  const quotas = [podQuota(4, 1)];
  expect(observe({ others, quotas }).headroom.pods).toBe(2);
  expect(observe({ others, quotas, claims: 1 }).headroom.pods).toBe(1);
  expect(observe({ others, claims: 1 }).headroom.pods).toBe(Infinity);
});

it('lists neither the pods nor the jobs of all groups for its headroom', () => {
  const caches = agcCaches(memoryCaches(podQuota(4, 1)), 'team-a');
  let lists = 0;
  const counted = <T extends Pod | Secret>(cache: Cache<T>) => ({
    byIndex: (index: string, value: string) => cache.byIndex(index, value),
    list: () => (lists++, cache.list()),
  });
  const context = {
    ...{ locks: new JobLocks(), worker, failing: new FailingJobs() },
    caches: { ...caches, pods: counted(caches.pods), jobs: counted(caches.jobs) },
    groups: { get: () => ({ source: { sessions: 1 }, isAdopted: true }), list: () => [] },
  } as unknown as AgcContext;
  expect(observeGroup(context, group, now)).toMatchObject({ headroom: { pods: 3 } });
  expect(lists).toBe(0);
});
