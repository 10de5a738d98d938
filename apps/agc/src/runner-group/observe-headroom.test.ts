import { expect, it } from '@jest/globals';
import { runnerAnnotations, runnerLabels } from '@interlock/api';
import type { Secret } from '@interlock/kube';
import { agcCaches } from '../caches.js';
import type { AgcContext } from '../context.js';
import { encodeRecord, type JobRecord } from '../job/record.js';
import { group, now, podQuota, record, worker } from '../job/testing/builders.js';
import { memoryCaches } from '../job/testing/memory-caches.js';
import { JobLocks } from '../lock/job-locks.js';
import { quotaShortage } from './observe-headroom.js';

interface Inputs {
  /** The free places of the only quota; undefined without a quota. */
  free?: number | undefined;
  /** The groups of the recorded jobs without a pod. */
  recorded?: string[];
  phase?: JobRecord['phase'];
  /** The number of jobs that each group claims now. */
  claims?: Record<string, number>;
}

/** Returns why the group `linux` may not claim a job. */
function shortageWith({ free, recorded = [], phase = 'Staged', claims = {} }: Inputs): string | undefined {
  const secrets = recorded.map((name, index): Secret => ({
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: {
      name: `job-${index}`,
      annotations: { [runnerAnnotations.jobRecord]: encodeRecord({ ...record, phase }) },
      labels: { [runnerLabels.runnerGroup]: name, [runnerLabels.planId]: `${index}` },
    },
  }));
  const quotas = free === undefined ? [] : [podQuota(free, 0)];
  const context = {
    namespace: 'team-a',
    locks: new JobLocks(),
    worker,
    caches: agcCaches(memoryCaches(group, ...secrets, ...quotas), 'team-a'),
    groups: {
      list: () => Object.entries(claims).map(([name, count]) => ({ name, unobservedJobs: () => count })),
    },
  } as unknown as AgcContext;
  return quotaShortage(context, 'linux', now)?.message;
}

it.each<[title: string, inputs: Inputs, shortage: string | undefined]>([
  ['may without a quota', { recorded: ['windows'], claims: { windows: 9 } }, undefined],
  ['may claim the job for the last place', { free: 1 }, undefined],
  [
    'may not when another group claims one for the last place',
    { free: 1, claims: { windows: 1 } },
    'for which 1 jobs of other RunnerGroups wait',
  ],
  [
    'may not when it claims one for the last place itself',
    { free: 1, claims: { linux: 1 } },
    'exceeded quota',
  ],
  [
    'may not when a recorded job waits for the last place',
    { free: 1, recorded: ['linux'] },
    'exceeded quota',
  ],
  [
    'may for the last place beside jobs that end, whose pods are gone',
    { free: 1, recorded: ['linux', 'windows'], phase: 'Concluding' },
    undefined,
  ],
  [
    'may while there is another place',
    { free: 4, recorded: ['linux', 'windows'], claims: { windows: 1 } },
    undefined,
  ],
  [
    'may not beside as many jobs as there are places',
    { free: 3, recorded: ['linux', 'windows'], claims: { windows: 1 } },
    'exceeded quota',
  ],
])('a group that is offered a job %s', (_title, inputs, shortage) => {
  const expected = shortage === undefined ? undefined : expect.stringContaining(shortage);
  expect(shortageWith(inputs)).toEqual(expected);
});
