import { expect, it } from '@jest/globals';
import type { ResourceQuota } from '@interlock/kube';
import { group, now, podQuota, worker } from '../job/testing/builders.js';
import { headroomBeside, workerHeadroom } from './headroom.js';

const tiers = [
  { priorityClassName: 'critical', threshold: 2 },
  { priorityClassName: 'standard', threshold: 9 },
];

/** Returns a quota of the pods of one PriorityClass. */
function quotaOf(priorityClass: string, hard: number, used: number): ResourceQuota {
  const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: [priorityClass] }];
  return { ...podQuota(hard, used), spec: { scopeSelector: { matchExpressions } } };
}

it.each<[title: string, quotas: ResourceQuota[], active: number, pods: number]>([
  ['no quota', [], 0, Infinity],
  ['a quota of all classes', [podQuota(5, 1)], 1, 4],
  ['a quota of the class of the next pod', [quotaOf('critical', 1, 1)], 1, 0],
  ['a quota of the class of later pods', [quotaOf('standard', 3, 3)], 0, 2],
  ['a quota of a class whose tier is full', [quotaOf('critical', 2, 2)], 2, Infinity],
  ['a quota of the last class', [quotaOf('standard', 4, 1)], 3, 3],
  ['a worker limit that is reached', [podQuota(20, 9)], 9, 11],
])('is the headroom of %s', (_title, quotas, active, pods) => {
  const tiered = { ...group, spec: { ...group.spec, priorityTiers: tiers } };
  expect(workerHeadroom(quotas, tiered, worker, active, now).pods).toBe(pods);
});

/** A template in which each field that a quota counts matters, and a field that none counts, whose reads are counted. */
function templateOf(onRead: () => void) {
  const runner = { name: 'runner', resources: { requests: { cpu: '1' } } };
  const env = [{ name: 'LARGE', value: 'x' }];
  return {
    spec: {
      containers: [Object.defineProperty(runner, 'env', { enumerable: true, get: () => (onRead(), env) })],
      initContainers: [
        { name: 'sidecar', restartPolicy: 'Always', resources: { requests: { cpu: '500m' } } },
        { name: 'first', resources: { requests: { cpu: '3' } } },
      ],
      overhead: { cpu: '500m' },
      activeDeadlineSeconds: 60,
    },
  };
}

it('is that of the fields that a quota counts, without a copy of the others, which may have a megabyte', () => {
  let reads = 0;
  const podTemplate = templateOf(() => (reads += 1));
  const large = { ...group, spec: { ...group.spec, podTemplate } };
  const status = { hard: { 'requests.cpu': '40' }, used: { 'requests.cpu': '0' } };
  const quota: ResourceQuota = { ...podQuota(1, 0), spec: { scopes: ['Terminating'] }, status };
  expect(workerHeadroom([quota], large, worker, 0, now).pods).toBe(10);
  expect(reads).toBe(0);
});

it.each([
  ['nothing without a job that waits', 3, 0, 3],
  ['the places of the jobs that wait', 3, 2, 1],
  ['the last place', 1, 1, 0],
  ['no more than there is', 1, 4, 0],
  ['nothing that a used up quota does not have', 0, 2, 0],
])('leaves to other groups %s', (_title, pods, waiting, left) => {
  expect(headroomBeside({ pods, limit: 'exceeded quota' }, waiting).pods).toBe(left);
});

it('names the jobs to which it leaves the headroom', () => {
  const full = 'exceeded quota';
  expect(headroomBeside({ pods: 2, limit: full }, 3).limit).toContain(
    'room for 2 more worker pods, for which 3 jobs of other RunnerGroups wait',
  );
  expect(headroomBeside({ pods: 0, limit: full }, 3).limit).toBe(full);
});
