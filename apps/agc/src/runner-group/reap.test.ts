import { describe, expect, it } from '@jest/globals';
import type { GroupPod } from './group-pod.js';
import { decideReaping } from './reap.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;
const pod: GroupPod = {
  name: 'runner-linux-1',
  uid: 'uid',
  state: 'running',
  hasJob: false,
  endedAt: undefined,
  jobCompletedAt: undefined,
  isDeleting: false,
  unschedulable: undefined,
  unstarted: undefined,
};

describe('decideReaping', () => {
  it.each<[title: string, pod: Partial<GroupPod>, expected: string]>([
    [
      'does not delete the pod of a recorded job',
      { hasJob: true, state: 'ended', endedAt: now - 60 * minute },
      '',
    ],
    ['keeps an ended pod for a while', { state: 'ended', endedAt: now - 4 * minute }, 'next in 1 min'],
    [
      'deletes an ended pod after five minutes',
      { state: 'ended', endedAt: now - 5 * minute },
      'completed_ttl',
    ],
    ['records that a running pod has no job', {}, 'completed'],
    ['gives a running pod without a job five minutes', { jobCompletedAt: now - 4 * minute }, 'next in 1 min'],
    [
      'deletes a running pod without a job after five minutes',
      { jobCompletedAt: now - 5 * minute },
      'orphaned_running',
    ],
    [
      'deletes a pending pod without a job soon',
      { state: 'pending', jobCompletedAt: now - minute },
      'completed_pending',
    ],
    [
      'does not delete a pod that is already being deleted',
      { isDeleting: true, jobCompletedAt: now - 60 * minute },
      '',
    ],
  ])('%s', (_title, changes, expected) => {
    const { reaped, completed, nextAt } = decideReaping([{ ...pod, ...changes }], 5 * minute, now);
    const next = nextAt === undefined ? [] : [`next in ${(nextAt - now) / minute} min`];
    const shown = [...reaped.map(({ reason }) => reason), ...completed.map(() => 'completed'), ...next];
    expect(shown.join()).toBe(expected);
  });

  it('deletes at once when nothing is to be kept', () => {
    const { reaped } = decideReaping([{ ...pod, state: 'ended', endedAt: now }], 0, now);
    expect(reaped).toHaveLength(1);
  });
});
