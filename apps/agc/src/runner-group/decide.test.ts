import { describe, expect, it } from '@jest/globals';
import { group } from '../job/testing/builders.js';
import { decideGroup, drainMs } from './decide.js';
import type { GroupPod } from './group-pod.js';
import type { ObservedGroup } from './observed.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const deletedFor = (ms: number) => ({
  ...group,
  metadata: { ...group.metadata, deletionTimestamp: new Date(now - ms).toISOString() },
});
const pod: GroupPod = {
  name: 'runner-linux-1',
  uid: 'uid',
  state: 'ended',
  hasJob: false,
  endedAt: now - 3_600_000,
  jobCompletedAt: undefined,
  isDeleting: false,
  unschedulable: undefined,
  unstarted: undefined,
};

function observed(changes: Partial<ObservedGroup> = {}): ObservedGroup {
  return {
    group,
    pods: [],
    liveJobs: 0,
    stagedJobs: 0,
    jobs: 0,
    refusal: undefined,
    stepFailure: undefined,
    headroom: { pods: Infinity, limit: '' },
    sessions: 1,
    health: undefined,
    heldSince: undefined,
    isAdopted: true,
    ...changes,
  };
}

describe('decideGroup', () => {
  it.each<[title: string, observed: Partial<ObservedGroup>, drain: string]>([
    ['does not drain a group that is not being deleted', {}, 'none'],
    ['lets the jobs of a deleted group continue', { group: deletedFor(1_000), jobs: 1 }, 'waiting'],
    ['ends the jobs of a deleted group after a while', { group: deletedFor(drainMs), jobs: 1 }, 'ending'],
    ['removes the runners of a group without jobs', { group: deletedFor(1_000) }, 'retiring'],
    ['does not wait for GitHub forever', { group: deletedFor(26 * 60_000) }, 'givenUp'],
  ])('%s', (_title, changes, drain) => {
    expect(decideGroup(observed(changes), now).drain).toBe(drain);
  });

  it('wakes at the timeout of the jobs of a deleted group', () => {
    const { nextAt } = decideGroup(observed({ group: deletedFor(1_000), jobs: 1 }), now);
    expect(nextAt).toBe(now - 1_000 + drainMs);
  });

  it.each([0, 3])('reads the number of sessions again while it is %i', (sessions) => {
    expect(decideGroup(observed(), now).nextAt).toBeUndefined();
    expect(decideGroup(observed({ sessions }), now).nextAt).toBe(now + 10_000);
  });

  it('wakes when a pod has waited for a node for half of its deadline', () => {
    const waiting = { ...pod, state: 'pending', hasJob: true, endedAt: undefined } as const;
    const pods = [{ ...waiting, unschedulable: { since: now, message: 'no node' } }];
    const spec = { ...group.spec, pendingPodDeadline: '10m' };
    const { nextAt } = decideGroup(observed({ group: { ...group, spec }, pods }), now);
    expect(nextAt).toBe(now + 5 * 60_000);
  });

  it('takes no further job while the group is being deleted', () => {
    const { capacity } = decideGroup(observed({ group: deletedFor(1_000), jobs: 2, liveJobs: 2 }), now);
    expect(capacity).toMatchObject({ total: 2, shortage: { reason: 'draining' } });
  });

  it('deletes no pod before it has read all recorded jobs', () => {
    expect(decideGroup(observed({ pods: [pod] }), now).reaping.reaped).toHaveLength(1);
    expect(decideGroup(observed({ pods: [pod], isAdopted: false }), now).reaping.reaped).toEqual([]);
  });

  it('keeps the places of pods whose job has ended until the pods have ended', () => {
    const limited = { ...group, spec: { ...group.spec, maxWorkers: 3 } };
    const leftover = { ...pod, state: 'running', endedAt: undefined } as const;
    expect(decideGroup(observed({ group: limited, pods: [leftover] }), now).capacity.total).toBe(2);
  });
});
