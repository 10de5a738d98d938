import { expect, it } from '@jest/globals';
import type { Condition } from '@interlock/api';
import type { SourceHealth } from '@interlock/broker';
import { group, now } from '../job/testing/builders.js';
import { concludeGroup } from './conclude.js';
import { decideGroup } from './decide.js';
import type { GroupPod } from './group-pod.js';
import type { ObservedGroup } from './observed.js';

/** Returns the conditions of a group with this number of sessions and this health. @param before its earlier conditions */
function conditionsWith(
  sessions: number,
  health: SourceHealth | undefined,
  before: Condition[] = [],
  pods: GroupPod[] = [],
) {
  const observed: ObservedGroup = {
    ...{ group: { ...group, status: { conditions: before } } },
    ...{ pods, liveJobs: 1, stagedJobs: 1, jobs: 1, sessions },
    headroom: { pods: Infinity, limit: '' },
    ...{ health, refusal: undefined, stepFailure: undefined, heldSince: undefined, isAdopted: true },
  };
  const outcome = { reaped: [], arePodsLeft: false, isRetired: false, pinned: 0 };
  const { status } = concludeGroup(observed, decideGroup(observed, now), outcome, now);
  return new Map(status?.conditions?.map((condition) => [condition.type, condition]));
}

it.each<[title: string, sessions: number, state: SourceHealth['state'] | undefined, status: string]>([
  ['ready while a session waits for jobs', 1, undefined, 'True'],
  ['ready while its only session is replaced, because a job was offered to it', 0, 'polling', 'True'],
  ['not ready before its first session', 0, undefined, 'False'],
  ['not ready while no session can be created', 0, 'failing', 'False'],
])('a RunnerGroup is %s', (_title, sessions, state, status) => {
  const conditions = conditionsWith(sessions, state && { state, since: now });
  expect(conditions.get('Ready')).toMatchObject({ status });
});

it.each([
  ['TooManyRequests', undefined],
  ['LimitUsedUp', 'LimitUsedUp'],
] as const)('a RunnerGroup without a session is RateLimited by %s and not ready', (expected, reason) => {
  const message = 'register runner linux-1: HTTP 429';
  const conditions = conditionsWith(0, { state: 'rateLimited', since: now, reason, message });
  expect(conditions.get('RateLimited')).toMatchObject({ status: 'True', reason: expected, message });
  expect(conditions.get('Ready')).toMatchObject({ status: 'False', reason: 'NoActiveSessions', message });
});

it.each(['Degraded', 'RateLimited', 'RunnerVersionTooOld', 'CredentialUnavailable'])(
  'a RunnerGroup stays %s until the replica that has taken over knows more',
  (type) => {
    const lastTransitionTime = new Date(now - 3_600_000).toISOString();
    const before: Condition = {
      ...{ type, status: 'True', reason: 'Reported', message: 'by the earlier leader', lastTransitionTime },
    };
    expect(conditionsWith(0, undefined, [before]).get(type)).toEqual(before);
    const known = conditionsWith(1, { state: 'polling', since: now }, [before]).get(type);
    expect(known).toMatchObject({ status: 'False' });
  },
);

it.each([
  ['at once if pods are left to be changed', true, 0],
  ['when the next step is due otherwise', false, 60_000],
])('a RunnerGroup is reconciled again %s', (_title, arePodsLeft, requeueAfterMs) => {
  const observed: ObservedGroup = {
    ...{ group, pods: [], liveJobs: 0, stagedJobs: 0, jobs: 0, sessions: 1 },
    headroom: { pods: Infinity, limit: '' },
    ...{
      health: undefined,
      refusal: undefined,
      stepFailure: undefined,
      heldSince: undefined,
      isAdopted: true,
    },
  };
  const decision = { ...decideGroup(observed, now), nextAt: now + 60_000 };
  const outcome = { reaped: [], arePodsLeft, isRetired: false, pinned: 0 };
  expect(concludeGroup(observed, decision, outcome, now)).toMatchObject({ requeueAfterMs });
});

it.each([
  ['is Degraded when a worker pod has not started for half of its deadline', 300_000, 'True'],
  ['is not Degraded while a worker pod starts', 299_999, 'False'],
])('a RunnerGroup %s', (_title, ageMs, status) => {
  const pod: GroupPod = {
    ...{ name: 'runner-1', uid: 'uid', state: 'pending', hasJob: true, isDeleting: false },
    ...{ endedAt: undefined, jobCompletedAt: undefined, unschedulable: undefined },
    unstarted: { since: now - ageMs, message: 'container runner waits: ImagePullBackOff' },
  };
  const degraded = conditionsWith(1, { state: 'polling', since: now }, [], [pod]).get('Degraded');
  expect(degraded).toMatchObject({ status });
  expect(degraded?.message.includes('ImagePullBackOff')).toBe(status === 'True');
});
