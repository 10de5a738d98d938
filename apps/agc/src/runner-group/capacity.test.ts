import { describe, expect, it } from '@jest/globals';
import { decideCapacity, type CapacityInput } from './capacity.js';

const input: CapacityInput = {
  spec: {},
  liveJobs: 0,
  stagedJobs: 0,
  leftovers: 0,
  headroom: { pods: Infinity, limit: '' },
  isDraining: false,
};
const tiers = [5, 20, 30].map((threshold, n) => ({ priorityClassName: `tier-${n}`, threshold }));

describe('decideCapacity', () => {
  it.each<[title: string, input: Partial<CapacityInput>, total: number, shortage: string | undefined]>([
    ['has a default limit if nothing else limits it', {}, 10_000, undefined],
    ['is maxWorkers', { spec: { maxWorkers: 4 }, liveJobs: 3 }, 4, undefined],
    ['reports when maxWorkers is reached', { spec: { maxWorkers: 4 }, liveJobs: 4 }, 4, 'ceiling'],
    ['is the threshold of the last tier', { spec: { priorityTiers: tiers } }, 30, undefined],
    [
      'excludes the places of pods whose job has ended',
      { spec: { maxWorkers: 4 }, leftovers: 3 },
      1,
      undefined,
    ],
    [
      'adds the headroom to the current jobs',
      { liveJobs: 3, headroom: { pods: 2, limit: 'exceeded quota' } },
      5,
      undefined,
    ],
    [
      'leaves headroom for jobs that have no pod yet',
      { liveJobs: 3, stagedJobs: 2, headroom: { pods: 2, limit: 'exceeded quota' } },
      3,
      'quota',
    ],
    [
      'takes no further job while the group is being deleted',
      { liveJobs: 2, isDraining: true },
      2,
      'draining',
    ],
  ])('%s', (_title, changes, total, shortage) => {
    const capacity = decideCapacity({ ...input, ...changes });
    expect([capacity.total, capacity.shortage?.reason]).toEqual([total, shortage]);
  });

  it.each([
    [0, 'the RunnerGroup runs 1 of 1 allowed jobs'],
    [
      1,
      'the RunnerGroup runs 0 of 1 allowed jobs, and 1 worker pods have not ended although their jobs have: they have other containers, or their nodes are lost',
    ],
  ])('names the %i pods that keep their place without a job', (leftovers, message) => {
    const spec = { maxWorkers: 1 };
    const { shortage } = decideCapacity({ ...input, spec, liveJobs: 1 - leftovers, leftovers });
    expect(shortage?.message).toBe(message);
  });
});
