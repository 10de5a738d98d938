import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  timestampOf,
  type CommitStatusPhase,
  type EnvironmentStatus,
  type HistoryEntry,
} from '@interlock/api';
import type { Deployment } from './deployments.js';
import { followFailures, type LastFailure } from './failures.js';
import { finding, sha } from './testing/builders.js';

const start = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;
const at = (minutes: number) => start + minutes * minute;
const entry = (name: string): HistoryEntry => ({
  sha: sha(name),
  drySHA: sha(`d${name}`),
  time: timestampOf(start),
  subject: '',
  author: '',
});
const status = (lastFailure?: LastFailure): EnvironmentStatus => ({
  branch: 'dev',
  ...(lastFailure && { lastFailure }),
});
const failed = (name: string, since: number, restoredAt?: number): LastFailure => ({
  sha: sha(name),
  since: timestampOf(since),
  ...(restoredAt !== undefined && { restoredAt: timestampOf(restoredAt) }),
});
const deployed = (name: string, replaced: string, rollback = false): Deployment => ({
  sha: sha(name),
  replaced: sha(replaced),
  activeAt: at(30),
  rollback,
});

/* The environment runs commit b, and one hour has passed. */
function follow(
  before: EnvironmentStatus | undefined,
  phase: CommitStatusPhase | 'pending',
  deployments: Deployment[] = [],
) {
  const facts = {
    deployments,
    history: [entry('b'), entry('a')],
    activeStatuses: [finding('health', phase)],
  };
  return followFailures(before, facts, at(60));
}

describe('a deployment', () => {
  it.each<[string, LastFailure | undefined, CommitStatusPhase | 'pending', ReturnType<typeof follow>]>([
    ['fails', undefined, 'failure', { failed: 1, restoredAfterMs: [], lastFailure: failed('b', at(60)) }],
    ['does not fail by being cancelled', undefined, 'cancelled', { failed: 0, restoredAfterMs: [] }],
    ['is healthy', undefined, 'success', { failed: 0, restoredAfterMs: [] }],
    [
      'continues failing',
      failed('b', at(0)),
      'failure',
      { failed: 0, restoredAfterMs: [], lastFailure: failed('b', at(0)) },
    ],
    [
      'is not restored while a deployment is in progress',
      failed('b', at(0)),
      'in_progress',
      { failed: 0, restoredAfterMs: [], lastFailure: failed('b', at(0)) },
    ],
    [
      'is restored',
      failed('b', at(0)),
      'success',
      { failed: 0, restoredAfterMs: [60 * minute], lastFailure: failed('b', at(0), at(60)) },
    ],
    [
      'is restored once',
      failed('b', at(0), at(10)),
      'success',
      { failed: 0, restoredAfterMs: [], lastFailure: failed('b', at(0), at(10)) },
    ],
    [
      'fails again, and is not counted as another failure',
      failed('b', at(0), at(10)),
      'failure',
      { failed: 0, restoredAfterMs: [], lastFailure: failed('b', at(60)) },
    ],
    [
      'does not restore the previous deployment while it fails',
      failed('a', at(0)),
      'failure',
      { failed: 1, restoredAfterMs: [], lastFailure: failed('b', at(0)) },
    ],
    [
      'restores the previous deployment',
      failed('a', at(0)),
      'success',
      { failed: 0, restoredAfterMs: [60 * minute], lastFailure: failed('a', at(0), at(60)) },
    ],
  ])('%s', (_case, before, phase, expected) => {
    expect(follow(status(before), phase)).toEqual(expected);
  });

  it('that had failed when it was first observed is not a transition', () => {
    expect(follow(undefined, 'failure')).toEqual({
      failed: 0,
      restoredAfterMs: [],
      lastFailure: failed('b', at(60)),
    });
  });
});

describe('a rollback', () => {
  const back = [deployed('b', 'a', true)];

  it.each<[string, LastFailure | undefined, ReturnType<typeof follow>]>([
    [
      'counts as a failure of the deployment that it replaces, of unknown duration',
      undefined,
      { failed: 1, restoredAfterMs: [], lastFailure: failed('a', at(30), at(30)) },
    ],
    [
      'ends a failure when it is active',
      failed('a', at(0)),
      { failed: 0, restoredAfterMs: [30 * minute], lastFailure: failed('a', at(0), at(30)) },
    ],
    [
      'ends a failure that began before the deployment that it replaces',
      failed('0', at(0)),
      { failed: 1, restoredAfterMs: [30 * minute], lastFailure: failed('a', at(0), at(30)) },
    ],
    [
      'of a deployment that had failed and was restored does not count',
      failed('a', at(0), at(10)),
      { failed: 0, restoredAfterMs: [], lastFailure: failed('a', at(0), at(10)) },
    ],
  ])('%s', (_case, before, expected) => {
    expect(follow(status(before), 'in_progress', back)).toEqual(expected);
  });

  it('can also fail', () => {
    expect(follow(status(failed('a', at(0))), 'failure', back)).toEqual({
      failed: 1,
      restoredAfterMs: [30 * minute],
      lastFailure: failed('b', at(60)),
    });
  });
});

describe('the record in the status', () => {
  it('counts each failure of a deployment and its end at most once, however often they are observed', () => {
    const step = fc.record({
      deploys: fc.boolean(),
      phase: fc.constantFrom<CommitStatusPhase[]>('success', 'failure', 'in_progress'),
      reads: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let before = status();
        let [deployments, fails, begun, ended] = [1, 0, 0, 0];
        for (const [index, { deploys, phase, reads }] of steps.entries()) {
          if (deploys) deployments++;
          const history = [entry(`${deployments}`)];
          for (let read = 0; read < reads; read++) {
            const facts = { deployments: [], history, activeStatuses: [finding('health', phase)] };
            const { failed: more, restoredAfterMs, lastFailure } = followFailures(before, facts, at(index));
            const lasted = before.lastFailure !== undefined && before.lastFailure.restoredAt === undefined;
            if (phase === 'failure' && !lasted) begun++;
            fails += more;
            ended += restoredAfterMs.length;
            before = status(lastFailure);
          }
        }
        const lasts = before.lastFailure !== undefined && before.lastFailure.restoredAt === undefined;
        expect(fails).toBeLessThanOrEqual(deployments);
        expect(ended).toBe(begun - (lasts ? 1 : 0));
      }),
    );
  });
});
