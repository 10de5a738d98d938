import { expect, it } from '@jest/globals';
import type { SourceHealth } from '@interlock/broker';
import { group, now } from '../job/testing/builders.js';
import { concludeGroup } from './conclude.js';
import { decideGroup } from './decide.js';
import type { ObservedGroup } from './observed.js';

/** Returns the condition Ready of a group with this number of sessions and this health. */
function readiness(sessions: number, state?: SourceHealth['state']) {
  const observed: ObservedGroup = {
    ...{ group, pods: [], liveJobs: 1, stagedJobs: 1, jobs: 1, headroom: { pods: Infinity }, sessions },
    health: state && { state, since: now },
    ...{ heldSince: undefined, isAdopted: true },
  };
  const outcome = { reaped: [], isRetired: false, pinned: 0 };
  const { status } = concludeGroup(observed, decideGroup(observed, now), outcome, now);
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

it.each<[title: string, sessions: number, state: SourceHealth['state'] | undefined, status: string]>([
  ['ready while a session waits for jobs', 1, undefined, 'True'],
  ['ready while its only session is replaced, because a job was offered to it', 0, 'polling', 'True'],
  ['not ready before its first session', 0, undefined, 'False'],
  ['not ready while no session can be created', 0, 'failing', 'False'],
])('a RunnerGroup is %s', (_title, sessions, state, status) => {
  expect(readiness(sessions, state)).toMatchObject({ status });
});
