import { describe, expect, it } from '@jest/globals';
import {
  PullRequest,
  type CommitStatusPhase,
  type Condition,
  type ProposedCommit,
  type PullRequestStatus,
} from '@interlock/api';
import { noDrift } from '../promotion/model.js';
import { commit, d1, d2, finding, sha } from '../promotion/testing/builders.js';
import * as objects from '../testing/objects.js';
import { decideProposedCommit } from './decide.js';
import type { ObservedProposedCommit, ProposedCommitFacts } from './observed.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const head = sha('b1');

const proposedCommit = (spec: Partial<ProposedCommit['spec']> = {}): ProposedCommit =>
  objects.proposedCommit({ spec });

const facts = (more: Partial<ProposedCommitFacts> = {}): ProposedCommitFacts => ({
  branch: 'dev',
  proposedBranch: 'dev-next',
  tipSHA: sha('a1'),
  active: commit('a1', d1, 'e1'),
  proposed: commit('b1', d2, 'e2'),
  unchangedBy: [],
  contained: false,
  ...noDrift,
  mergedTreeSHA: sha('e2'),
  requiredTreeSHA: sha('e2'),
  reverts: [],
  history: [],
  ...more,
});

const pullRequest = (status?: PullRequestStatus): PullRequest =>
  objects.pullRequest({ spec: { headSHA: head }, status });

const open: PullRequestStatus = { state: 'open', headSHA: head, url: 'https://forge/1' };

function decide(more: Partial<ObservedProposedCommit> = {}) {
  return decideProposedCommit(
    {
      proposedCommit: proposedCommit(),
      facts: facts(),
      proposedStatuses: [finding('lint', 'success'), finding('promotion', 'success')],
      activeStatuses: [],
      pullRequest: pullRequest(open),
      ...more,
    },
    now,
  );
}

const specOf = (decision: ReturnType<typeof decide>) => decision.pullRequest?.['spec'] as PullRequest['spec'];
const promoted = (decision: ReturnType<typeof decide>) =>
  decision.status.conditions?.find((condition) => condition.type === 'Promoted');

describe('a proposed commit', () => {
  it('is merged, at exactly its SHA, when every check is successful', () => {
    expect(specOf(decide()).merge).toMatchObject({ sha: head, method: 'merge' });
    expect(promoted(decide())).toMatchObject({ status: 'False', reason: 'Merging' });
  });

  it('records the promotion in the trailers of the merge commit', () => {
    const message = specOf(decide()).merge?.message;
    expect(message).toContain(`\nSha-dry-active: ${d1}\n`);
    expect(message).toContain(`\nSha-dry-proposed: ${d2}\n`);
    expect(message).toContain(`\nSha-hydrated-proposed: ${head}\n`);
    expect(message).toContain('\nCommit-status-proposed-lint-phase: success\n');
  });

  it.each<[CommitStatusPhase | 'pending', string]>([
    ['pending', 'Missing'],
    ['queued', 'Queued'],
    ['in_progress', 'InProgress'],
    ['failure', 'Failure'],
    ['cancelled', 'Cancelled'],
  ])('is proposed but not merged while a check is %s', (phase, reason) => {
    const decision = decide({ proposedStatuses: [finding('lint', phase), finding('promotion', 'success')] });
    expect(specOf(decision)).toMatchObject({ headSHA: head, state: 'open' });
    expect(specOf(decision)).not.toHaveProperty('merge');
    expect(promoted(decision)).toMatchObject({ status: 'False', reason });
    expect(promoted(decision)?.message).toContain('lint');
  });

  it('waits for a user when autoMerge is false, and reports it', () => {
    const decision = decide({ proposedCommit: proposedCommit({ autoMerge: false }) });
    expect(specOf(decision)).not.toHaveProperty('merge');
    expect(promoted(decision)).toMatchObject({ reason: 'WaitingForPerson' });
    expect(promoted(decision)?.message).toContain('https://forge/1');
  });

  it.each<[string, Partial<ObservedProposedCommit>]>([
    [
      'the subject is',
      { facts: facts({ proposed: { ...commit('b1', d2, 'e2'), subject: '#'.repeat(50_000) } }) },
    ],
    [
      'the messages of checks are',
      {
        proposedStatuses: Array.from({ length: 65 }, (_, n) => ({
          ...finding(`check-${n}`, 'pending'),
          message: '#'.repeat(1024),
        })),
      },
    ],
  ])('has a pull request that the API server accepts, however long %s', (_case, more) => {
    const spec = specOf(decide(more));
    expect(PullRequest.spec.safeParse(spec).error).toBeUndefined();
    expect(spec.description).toMatch(/Waiting|All checks pass/);
    if (spec.merge !== undefined) expect(spec.merge.message).toContain(`\nSha-dry-proposed: ${d2}\n`);
  });

  it('has a title even if its template renders to nothing', () => {
    const asking = proposedCommit({ pullRequest: { titleTemplate: '{{ dry.subject }}' } });
    const untitled = facts({ proposed: { ...commit('b1', d2, 'e2'), subject: ' ' } });
    const { title } = specOf(decide({ proposedCommit: asking, facts: untitled }));
    expect(title).toBe(`Promote ${d2.slice(0, 7)} to dev`);
  });

  it('waits for its pull request to be open', () => {
    const decision = decide({ pullRequest: pullRequest() });
    expect(specOf(decision)).not.toHaveProperty('merge');
    expect(promoted(decision)).toMatchObject({ reason: 'OpeningPullRequest' });
  });

  it.each([
    [1, 'PullRequestNotOpened', 'the pull request is not open: HTTP 403: archived'],
    [2, 'OpeningPullRequest', 'the pull request is being opened'],
  ])(
    'reports why its pull request is not opened, if that is known for generation %i',
    (generation, reason, message) => {
      const refused = pullRequest({ conditions: [notReady('HTTP 403: archived')] });
      const metadata = { ...refused.metadata, generation };
      const decision = decide({ pullRequest: { ...refused, metadata } });
      expect(promoted(decision)).toMatchObject({ status: 'False', reason, message });
      expect(specOf(decision).description).toBe(specOf(decide({ pullRequest: pullRequest() })).description);
    },
  );

  it.each([
    ['is the closed commit', facts(), head],
    [
      'is built on the closed commit',
      facts({ proposed: { ...commit('b2', d2, 'e2'), originSHA: head } }),
      head,
    ],
    ['would have to be aligned', facts({ mergedTreeSHA: sha('ee') }), head],
  ])('is rejected when a user closed its pull request, if it %s', (_case, observed, rejectedSHA) => {
    const closed = pullRequest({ ...open, state: 'closed' });
    const decision = decide({ facts: observed, pullRequest: closed, rejectedSHA });
    expect([decision.pullRequest, decision.align, decision.publish]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(decision.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Rejected', status: 'True', reason: 'ClosedByPerson' }),
    );
  });

  it('is not proposed again when the environment branch no longer contains its merge', () => {
    const decision = decide({ pullRequest: pullRequest({ ...open, state: 'merged' }), lostSHA: sha('a9') });
    expect(decision.pullRequest).toBeUndefined();
    expect(promoted(decision)).toMatchObject({ status: 'False', reason: 'SetBack' });
    expect(decision.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Drifted', status: 'True', reason: 'SetBack' }),
    );
  });

  it('does not change the pull request of a rejected commit that is no longer the tip of the branch', () => {
    const closed = pullRequest({ ...open, state: 'closed', headSHA: sha('b0') });
    const decision = decide({ pullRequest: closed, rejectedSHA: head });
    expect(specOf(decision)).toMatchObject({ headSHA: sha('b0'), state: 'open' });
    expect(specOf(decision)).not.toHaveProperty('merge');
  });

  it('is proposed again when the commit differs from the rejected one', () => {
    const closed = pullRequest({ ...open, state: 'closed', headSHA: sha('b0') });
    const decision = decide({ pullRequest: closed, rejectedSHA: sha('b0') });
    expect(promoted(decision)).toMatchObject({ reason: 'OpeningPullRequest' });
    expect(decision.status.conditions?.some(({ type }) => type === 'Rejected')).toBe(false);
  });
});

function notReady(message: string): Condition {
  const lastTransitionTime = '2030-01-01T00:00:00Z';
  return {
    type: 'Ready',
    status: 'False',
    reason: 'Forbidden',
    message,
    observedGeneration: 1,
    lastTransitionTime,
  };
}

describe('a proposed commit without a proposal', () => {
  const inSync = facts({ proposed: commit('b1', d2, 'e1') });

  it('is up to date', () => {
    const { pullRequest: _none, ...rest } = { pullRequest: undefined };
    const decision = decideProposedCommit(
      { proposedCommit: proposedCommit(), facts: inSync, proposedStatuses: [], activeStatuses: [], ...rest },
      now,
    );
    expect(decision.pullRequest).toBeUndefined();
    expect(promoted(decision)).toMatchObject({ status: 'True', reason: 'UpToDate' });
  });

  it('closes a pull request that is still open', () => {
    expect(specOf(decide({ facts: inSync }))).toMatchObject({ state: 'closed' });
  });

  it('does not change a merged pull request', () => {
    const decision = decide({ facts: inSync, pullRequest: pullRequest({ ...open, state: 'merged' }) });
    expect(decision.pullRequest).toBeUndefined();
  });

  it('does not propose a commit that the branch already contains', () => {
    expect(decide({ facts: facts({ contained: true }) }).status.checks).toEqual([]);
  });
});

describe('rules that are not evaluated yet', () => {
  it('delay the pull request, so that its first text states what the promotion waits for', () => {
    const missing = { ...finding('promotion', 'pending'), reason: 'Missing' as const };
    const decision = decide({ proposedStatuses: [finding('lint', 'success'), missing] });
    expect(decision.pullRequest).toBeUndefined();
    expect(promoted(decision)).toMatchObject({ reason: 'Evaluating' });
  });

  it.each([
    ['at first', undefined, 1_000],
    ['after a while', now - 400, 600],
    ['after a second', now - 1_000, undefined],
    ['after an hour', now - 3_600_000, undefined],
  ])('are reported only after a second: %s', (_case, awaitedSince, deferredMs) => {
    const missing = { ...finding('promotion', 'pending'), reason: 'Missing' as const };
    expect(decide({ proposedStatuses: [missing], awaitedSince }).deferredMs).toBe(deferredMs);
  });
});

describe('a merge that would not produce the proposed tree', () => {
  it.each([
    ['conflicts', {}],
    ['would keep a change made on the environment branch', { mergedTreeSHA: sha('e3') }],
  ])('that %s gets a merge commit with the proposed tree first', (_case, more) => {
    const { mergedTreeSHA: _merged, ...without } = facts();
    const decision = decide({ facts: { ...without, ...more } });
    expect(decision.pullRequest).toBeUndefined();
    expect(decision.align).toMatchObject({
      branch: 'dev-next',
      expected: head,
      parents: [head, sha('a1')],
      treeSHA: sha('e2'),
    });
    expect(decision.align?.message).toContain(`Sha-dry-proposed: ${d2}`);
  });
});

describe('drift', () => {
  const drift = [{ sha: sha('cc'), subject: 'Hotfix', author: 'B. Person' }];
  const { mergedTreeSHA: _merged, ...conflicting } = facts({ drift });
  const drifted = (decision: ReturnType<typeof decide>) =>
    decision.status.conditions?.find((condition) => condition.type === 'Drifted');

  it('is shown with the commits and their authors', () => {
    expect(drifted(decide({ facts: facts({ drift }) }))).toMatchObject({
      status: 'True',
      reason: 'ForeignCommits',
    });
    expect(drifted(decide({ facts: facts({ drift }) }))?.message).toContain('"Hotfix" by B. Person');
    expect(drifted(decide())).toBeUndefined();
  });

  it('is overwritten by default', () => {
    expect(decide({ facts: facts({ drift, mergedTreeSHA: sha('e3') }) }).align).toMatchObject({
      treeSHA: sha('e2'),
    });
  });

  it('is kept under Adopt', () => {
    const adopting = proposedCommit({ driftPolicy: 'Adopt' });
    const decision = decide({ proposedCommit: adopting, facts: facts({ drift, mergedTreeSHA: sha('e3') }) });
    expect(decision.align).toBeUndefined();
    expect(specOf(decision).merge).toMatchObject({ sha: head });
  });

  it('that conflicts cannot be adopted, which is reported', () => {
    const decision = decide({ proposedCommit: proposedCommit({ driftPolicy: 'Adopt' }), facts: conflicting });
    expect(decision.align).toBeUndefined();
    expect(specOf(decision)).not.toHaveProperty('merge');
    expect(promoted(decision)).toMatchObject({ reason: 'DriftConflict' });
  });
});

describe('a problem', () => {
  const { active: _active, ...noActive } = facts();
  const { proposed: _proposed, ...noProposed } = facts();
  it.each<[string, ProposedCommitFacts, string]>([
    ['a missing environment branch', noActive, 'BranchNotFound'],
    ['a missing proposed branch', noProposed, 'ProposedBranchNotFound'],
    [
      'malformed metadata',
      facts({ proposed: { ...commit('b1', undefined), problem: 'hydrator.metadata is not JSON' } }),
      'InvalidHydratorMetadata',
    ],
  ])('that is %s is reported and changes nothing', (_case, observed, reason) => {
    const decision = decide({ facts: observed, pullRequest: pullRequest() });
    expect(decision.pullRequest).toBeUndefined();
    expect(decision.align).toBeUndefined();
    expect(decision.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False', reason }),
    );
  });

  it('that is a deleted environment branch closes the pull request, unless a user closed it before', () => {
    const closed = pullRequest({ ...open, state: 'closed' });
    expect(specOf(decide({ facts: noActive }))).toMatchObject({ state: 'closed' });
    expect(specOf(decide({ facts: noActive, pullRequest: closed }))).toMatchObject({ state: 'closed' });
    const before = decide({ pullRequest: closed, rejectedSHA: head });
    const rejected = { ...proposedCommit(), status: before.status };
    const later = decide({ facts: noActive, pullRequest: closed, proposedCommit: rejected });
    expect(later.pullRequest).toBeUndefined();
    expect(promoted(later)).toMatchObject({ status: 'Unknown', reason: 'BranchNotFound' });
  });

  it('that is an unknown name in a template stalls the strategy and names it', () => {
    const decision = decide({
      proposedCommit: proposedCommit({ pullRequest: { titleTemplate: '{{ nope }}' } }),
    });
    expect(decision.pullRequest).toBeUndefined();
    expect(decision.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'InvalidTemplate' }),
    );
  });
});

describe('a check in the status', () => {
  it('keeps the field since while state and reason stay the same', () => {
    const pending = [finding('lint', 'pending')];
    const first = decide({ proposedStatuses: pending });
    const later = decideProposedCommit(
      {
        proposedCommit: { ...proposedCommit(), status: first.status },
        facts: facts(),
        proposedStatuses: pending,
        activeStatuses: [],
      },
      now + 60_000,
    );
    expect(later.status.checks).toEqual(first.status.checks);
    const released = decideProposedCommit(
      {
        proposedCommit: { ...proposedCommit(), status: first.status },
        facts: facts(),
        proposedStatuses: [finding('lint', 'success')],
        activeStatuses: [],
      },
      now + 60_000,
    );
    expect(released.status.checks?.[0]).toMatchObject({ state: 'success', since: '2026-01-01T00:01:00Z' });
  });
});

describe('after a revert', () => {
  /* The proposal was merged and reverted: the branch contains it, with the earlier content. */
  const takenBack = (more: Partial<ProposedCommitFacts> = {}) =>
    facts({
      tipSHA: sha('a3'),
      active: { ...commit('a3', d1, 'e1'), revertOf: sha('a2') },
      contained: true,
      mergedTreeSHA: sha('e1'),
      ...more,
    });
  const reverts = [{ name: 'back', merged: true, rejectedDrySHA: d2, holds: 'NotNewer' as const }];

  it('does not propose the rejected commit again, and reports the reason', () => {
    const decision = decide({
      facts: takenBack({ reverts }),
      pullRequest: pullRequest({ ...open, state: 'merged' }),
    });
    expect([decision.pullRequest, decision.align]).toEqual([undefined, undefined]);
    expect(promoted(decision)).toMatchObject({ status: 'False', reason: 'Reverted' });
  });

  it('closes a pull request that proposes the rejected content in another commit', () => {
    const decision = decide({ facts: takenBack({ reverts, contained: false }) });
    expect(specOf(decision)).toMatchObject({ state: 'closed' });
  });

  it('proposes the content again in a separate commit when no revert holds it any longer', () => {
    expect(decide({ facts: takenBack() }).align).toMatchObject({
      parents: [head, sha('a3')],
      treeSHA: sha('e2'),
    });
  });
});
