import { expect, it } from '@jest/globals';
import { group, now } from '../job/testing/builders.js';
import { concludeGroup } from './conclude.js';
import { countGroup } from './count.js';
import { decideGroup } from './decide.js';
import type { ObservedGroup } from './observed.js';

it.each<[title: string, maxWorkers: number | undefined, pods: number, exceeded: number]>([
  ['has no room for another pod', undefined, 0, 1],
  ['has no room for another pod, and the group is at its worker limit', 1, 0, 1],
  ['has room for another pod', undefined, 1, 0],
  ['has room for another pod, and the group is at its worker limit', 1, 1, 0],
])(
  'worker_quota_exceeded is the condition WorkerQuotaExceeded if a quota %s',
  (_title, maxWorkers, pods, exceeded) => {
    const observed: ObservedGroup = {
      ...{ group: { ...group, spec: { ...group.spec, maxWorkers } } },
      ...{
        pods: [],
        liveJobs: 1,
        stagedJobs: 0,
        jobs: 1,
        sessions: 1,
        headroom: { pods, limit: 'pods: 0 left' },
      },
      ...{
        health: undefined,
        refusal: undefined,
        stepFailure: undefined,
        heldSince: undefined,
        isAdopted: true,
      },
    };
    const decision = decideGroup(observed, now);
    const outcome = { reaped: [], arePodsLeft: false, isRetired: false, pinned: 0 };
    const values = new Map<string, number>();
    const set = (name: string, _labels: object, value: number) => void values.set(name, value);
    countGroup({ set, count: () => undefined }, observed, decision, outcome);
    const { status } = concludeGroup(observed, decision, outcome, now);
    const condition = status?.conditions?.find(({ type }) => type === 'WorkerQuotaExceeded');
    expect(condition?.status).toBe(exceeded === 1 ? 'True' : 'False');
    expect(values.get('worker_quota_exceeded')).toBe(exceeded);
  },
);
