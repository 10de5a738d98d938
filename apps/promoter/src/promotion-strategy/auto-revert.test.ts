import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  RevertCommit,
  timestampOf,
  typeMeta,
  type EnvironmentStatus,
  type PromotionStrategy,
  type RevertCommitStatus,
} from '@interlock/api';
import { commit, d1, d2, d3, environment, finding, main, sha } from '../promotion/testing/builders.js';
import { promotionStrategy } from '../testing/objects.js';
import { decideStrategy } from './decide.js';
import type { StrategyEnvironment } from './observed.js';

const start = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;
const hour = 60 * minute;
const policy = { mode: 'Auto', afterFailedFor: '5m', maxPerHour: 2 } as const;
type Policy = NonNullable<PromotionStrategy['spec']['revertPolicy']>;

/* dev runs d2 as commit a1 with tree d2e, and was healthy with d1. */
const healthy = { sha: d1, hydratedSHA: sha('a0'), treeSHA: sha('d1e'), time: '2025-12-31T00:00:00Z' };

function strategy(
  status: Partial<EnvironmentStatus> = {},
  spec: Partial<PromotionStrategy['spec']> = {},
): PromotionStrategy {
  return promotionStrategy({
    spec: { revertPolicy: policy, ...spec },
    status: {
      environments: [
        {
          branch: 'dev',
          active: { drySHA: d2, hydratedSHA: sha('a1') },
          lastHealthyDrySHAs: [healthy],
          ...status,
        },
      ],
    },
  });
}

const failing = (more: Partial<StrategyEnvironment> = {}): StrategyEnvironment => ({
  ...environment('dev', d2, d2, { activeStatuses: [finding('health', 'failure')] }),
  proposedStatuses: [],
  history: [],
  deployments: [],
  ...more,
});

function revert(name: string, createdAt: number, status?: RevertCommitStatus, owner = 'u1'): RevertCommit {
  return {
    ...typeMeta(RevertCommit),
    metadata: {
      name,
      creationTimestamp: timestampOf(createdAt),
      ownerReferences: [
        { apiVersion: 'v', kind: 'PromotionStrategy', name: 'shop', uid: owner, controller: true },
      ],
    },
    spec: { repoRef: { name: 'repo' }, activeBranch: 'dev', mode: 'Auto', revertOf: sha('99') },
    ...(status && { status }),
  };
}

function decide(
  now: number,
  of = strategy({ failingSince: timestampOf(start) }),
  environments = [failing()],
  reverts: RevertCommit[] = [],
) {
  return decideStrategy(
    { strategy: of, environments, dryBranch: main(), children: [], others: [], siblings: [], reverts },
    now,
  );
}

const due = start + 5 * minute;
const blockedBy = (decision: ReturnType<typeof decide>) =>
  decision.status.conditions?.find(({ type }) => type === 'RevertBlocked');

describe('the time of a failure', () => {
  const since = (decision: ReturnType<typeof decide>) => decision.status.environments?.[0]?.failingSince;

  it('begins when a status fails', () => {
    expect(since(decide(start, strategy()))).toBe('2026-01-01T00:00:00Z');
  });

  it('is kept, even across a restart, while the commit is the same', () => {
    expect(since(decide(start + minute))).toBe('2026-01-01T00:00:00Z');
  });

  it.each<[string, StrategyEnvironment]>([
    ['starts again with another commit', failing({ active: commit('a2', d2) })],
    ['ends when no status is failed', failing({ activeStatuses: [finding('health', 'success')] })],
    [
      'does not count a check that was cancelled',
      failing({ activeStatuses: [finding('health', 'cancelled')] }),
    ],
  ])('%s', (_case, one) => {
    expect(since(decide(start + minute, undefined, [one]))).not.toBe('2026-01-01T00:00:00Z');
  });
});

describe('the policy', () => {
  it('waits exactly until the failure has lasted for the configured time', () => {
    const early = decide(start + 1_500);
    expect(early.reverts.create).toEqual([]);
    expect(early.requeueAfterMs).toBe(5 * minute - 1_500);
    expect(decide(due - 1).reverts.create).toEqual([]);
    expect(decide(due).reverts.create).toHaveLength(1);
  });

  it('reverts to the last healthy dry commit, as a child of the strategy', () => {
    const [created] = decide(due).reverts.create;
    expect(created).toMatchObject({
      metadata: {
        name: 'shop-dev-a10000000000',
        namespace: 'team',
        ownerReferences: [{ uid: 'u1', controller: true }],
      },
      spec: { repoRef: { name: 'repo' }, activeBranch: 'dev', drySHA: d1, revertOf: sha('a1'), mode: 'Auto' },
    });
    expect((created?.['spec'] as RevertCommit['spec']).reason).toContain('health says failure');
  });

  it.each<[string, Policy | undefined, Policy | undefined, number]>([
    ['is off by default', undefined, undefined, 0],
    ['can be off', { mode: 'Off' }, undefined, 0],
    ['can be off for an environment', policy, { mode: 'Off' }, 0],
    ['can be on for an environment', undefined, policy, 1],
    ['takes fields that an environment does not set from the strategy', policy, { maxPerHour: 1 }, 1],
    ['waits five minutes by default', { mode: 'Auto' }, undefined, 1],
    ['waits for the time of an environment', policy, { afterFailedFor: '5m1s' }, 0],
  ])('%s', (_case, general, own, created) => {
    const spec = {
      ...strategy().spec,
      environments: [{ branch: 'dev', autoMerge: true, ...(own && { revertPolicy: own }) }],
    };
    const { revertPolicy: _policy, ...without } = spec;
    const of = strategy({ failingSince: timestampOf(start) });
    const decision = decide(due, { ...of, spec: general ? { ...spec, revertPolicy: general } : without });
    expect(decision.reverts.create).toHaveLength(created);
  });

  it('opens a pull request for a user in mode PullRequest', () => {
    const spec = { revertPolicy: { ...policy, mode: 'PullRequest' } } as const;
    const { create } = decide(due, strategy({ failingSince: timestampOf(start) }, spec)).reverts;
    expect(create).toMatchObject([{ spec: { mode: 'PullRequest' } }]);
  });
});

describe('the target', () => {
  const at = (list: EnvironmentStatus['lastHealthyDrySHAs'], more: Partial<StrategyEnvironment> = {}) =>
    decide(due, strategy({ failingSince: timestampOf(start), ...(list && { lastHealthyDrySHAs: list }) }), [
      failing(more),
    ]);

  it.each<[string, NonNullable<EnvironmentStatus['lastHealthyDrySHAs']>]>([
    ['no dry commit was healthy', []],
    ['only the active dry commit was healthy', [{ ...healthy, sha: d2 }]],
    ['only a dry commit with the same content was healthy', [{ ...healthy, treeSHA: sha('d2e') }]],
  ])('does not exist when %s', (_case, list) => {
    expect(at(list).reverts.create).toEqual([]);
    expect(blockedBy(at(list))).toMatchObject({ status: 'True', reason: 'NoHealthyCommit' });
  });

  it('is the newest healthy dry commit that is not active', () => {
    const list = [{ ...healthy, sha: d2, treeSHA: sha('ff') }, { ...healthy, sha: d3 }, healthy];
    expect(at(list).reverts.create).toMatchObject([{ spec: { drySHA: d3 } }]);
  });

  it('is not a dry commit that was reverted in this environment', () => {
    const reverts = [{ name: 'r', merged: true, rejectedDrySHA: d3 }];
    const decision = at([{ ...healthy, sha: d3 }, healthy], { reverts });
    expect(decision.status.environments?.[0]?.lastHealthyDrySHAs).toEqual([healthy]);
  });
});

describe('the loop guard', () => {
  it('does not revert a revert', () => {
    const reverted = failing({ active: { ...commit('a1', d2), revertOf: sha('a9') } });
    const decision = decide(due, undefined, [reverted]);
    expect(decision.reverts.create).toEqual([]);
    expect(blockedBy(decision)).toMatchObject({ reason: 'AlreadyReverted' });
  });

  it.each<[string, Partial<StrategyEnvironment>, RevertCommit[]]>([
    ['a revert is in force', { reverts: [{ name: 'r', merged: false, rejectedDrySHA: d2 }] }, []],
    [
      'the commit was reverted before, whatever the outcome',
      {},
      [{ ...revert('r', start), spec: { ...revert('r', start).spec, revertOf: sha('a1') } }],
    ],
  ])('creates no revert when %s', (_case, more, reverts) => {
    const decision = decide(due, undefined, [failing(more)], reverts);
    expect(decision.reverts.create).toEqual([]);
    expect(blockedBy(decision)).toBeUndefined();
  });

  it('creates at most the maximum number of reverts within an hour, and the next one when the first is an hour old', () => {
    const two = [revert('r1', due - 50 * minute), revert('r2', due - minute)];
    const decision = decide(due, undefined, [failing()], two);
    expect(decision.reverts.create).toEqual([]);
    expect(blockedBy(decision)).toMatchObject({ reason: 'TooManyReverts' });
    expect(decision.requeueAfterMs).toBe(10 * minute);
    expect(decide(due + 10 * minute, undefined, [failing()], two).reverts.create).toHaveLength(1);
  });

  it('counts only reverts that the policy created for the environment', () => {
    const elsewhere = revert('r3', due - minute);
    const others = [
      revert('r1', due - minute, undefined, 'a person'),
      revert('r2', due - hour),
      { ...elsewhere, spec: { ...elsewhere.spec, activeBranch: 'prod' } },
    ];
    expect(decide(due, undefined, [failing()], others).reverts.create).toHaveLength(1);
  });

  it('never creates more reverts than the maximum, however often an environment fails', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4 }), (minutes, maxPerHour) => {
        const made: RevertCommit[] = [];
        let now = start;
        minutes.forEach((passed, index) => {
          now += passed * minute;
          const spec = { revertPolicy: { ...policy, maxPerHour } };
          const of = strategy(
            { active: { hydratedSHA: sha(`b${index}`) }, failingSince: timestampOf(start) },
            spec,
          );
          const subject = failing({ active: commit(`b${index}`, d2) });
          const { create } = decide(now + 5 * minute, of, [subject], made).reverts;
          for (const { metadata } of create) made.push(revert(metadata.name, now + 5 * minute));
        });
        for (const { metadata } of made) {
          const from = Date.parse(metadata.creationTimestamp ?? '');
          const within = made.filter((other) => {
            const at = Date.parse(other.metadata.creationTimestamp ?? '');
            return at >= from && at < from + hour;
          });
          expect(within.length).toBeLessThanOrEqual(maxPerHour);
        }
      }),
    );
  });
});

describe('reverts of an environment', () => {
  const day = 24 * hour;
  const over = { state: 'Merged', inForce: false, revertOf: sha('99') } as const;
  it.each<[string, RevertCommit, boolean]>([
    ['are deleted a day after they ended', revert('r', start - day, over), true],
    ['are kept for a day after they ended', revert('r', start - day + 1_000, over), false],
    ['are kept while they are in force', revert('r', start - day, { ...over, inForce: true }), false],
    ['are kept until they are reconciled', revert('r', start - day), false],
    [
      'are kept while the commit that they revert is active',
      revert('r', start - day, { ...over, state: 'Rejected', revertOf: sha('a1') }),
      false,
    ],
    ['are kept if a user created them', revert('r', start - day, over, 'a person'), false],
  ])('%s', (_case, one, goes) => {
    const { obsolete } = decide(start, undefined, [failing()], [one]).reverts;
    expect(obsolete).toEqual(goes ? [{ name: 'r' }] : []);
  });
});

describe('a strategy whose problems have ended', () => {
  it('no longer has the condition that reported them', () => {
    const of = strategy({ failingSince: timestampOf(start), lastHealthyDrySHAs: [] });
    const blocked = decide(due, of);
    const restored = { ...of, status: blocked.status };
    const well = failing({ activeStatuses: [finding('health', 'success')] });
    expect(blockedBy(blocked)).toBeDefined();
    expect(blockedBy(decide(due, restored, [well]))).toBeUndefined();
  });
});
