import { describe, expect, it } from '@jest/globals';
import { TypedError, type ProposedCommitStatus } from '@interlock/api';
import { Failure, getCondition } from '@interlock/kube';
import { noDrift, type DriftCommit } from '../promotion/model.js';
import { sha } from '../promotion/testing/builders.js';
import { proposedCommit } from '../testing/objects.js';
import { concludeProposedCommit } from './conclude.js';
import type { ProposedCommitDecision } from './decide.js';

const status: ProposedCommitStatus = { observedGeneration: 3, conditions: [] };
const [tip, proposed, aligned] = [sha('a1'), sha('b1'), sha('b2')];
const align = {
  branch: 'dev-next',
  expected: proposed,
  parents: [proposed, tip] as [string, string],
  treeSHA: sha('e2'),
  message: 'Merge dev into dev-next',
};
const publish = { branch: 'interlock/in-flight/dev', sha: proposed, expected: null };
const pullRequest = { apiVersion: 'v1', kind: 'PullRequest', metadata: { name: 'app-dev' } };

function conclude(
  decision: Omit<ProposedCommitDecision, 'status'>,
  outcome: string | undefined | Failure,
  drift: readonly DriftCommit[] = [],
) {
  const facts = {
    branch: 'dev',
    proposedBranch: 'dev-next',
    unchangedBy: [],
    contained: false,
    ...noDrift,
    drift,
    reverts: [],
    history: [],
  };
  const observed = { proposedCommit: proposedCommit(), facts, proposedStatuses: [], activeStatuses: [] };
  return concludeProposedCommit(observed, { status, ...decision }, outcome, 0);
}

const failure = new Failure(new TypedError('Conflict', 'the branch moved on'), true);

describe('a proposed commit after the act', () => {
  it.each([
    ['nothing was done', {}],
    ['its pull request was applied', { pullRequest }],
    ['its branch was published', { publish }],
  ])('has the status that was decided when %s', (_, decision) => {
    expect(conclude(decision, undefined)).toEqual({ status });
  });

  it('keeps its status while the new status is deferred', () => {
    expect(conclude({ deferredMs: 600 }, undefined)).toEqual({ requeueAfterMs: 600 });
  });

  it.each([
    ['its branch was not published', { publish }],
    ['its branch was not aligned', { align }],
  ])('has the status that was decided when %s, and is reconciled again', (_, decision) => {
    expect(conclude(decision, failure)).toEqual({ status });
  });

  it.each([
    ['its branch cannot be pushed', { align }],
    ['its pull request is not accepted', { pullRequest }],
  ])('reports that %s', (_, decision) => {
    const refused = new Failure(new TypedError('Permanent', 'protected', { reason: 'Rejected' }), true);
    const ready = getCondition(conclude(decision, refused).status?.conditions, 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'Rejected', message: 'protected' });
  });

  it('keeps its status when its pull request was not applied', () => {
    expect(conclude({ pullRequest }, failure)).toEqual({});
  });

  it.each([
    [[], 'nothing except promotions'],
    [[{ sha: tip, subject: 'fix', author: 'Ada' }], 'a100000 "fix" by Ada'],
  ])('reports once that a conflict was resolved, and the discarded changes', (drift, discarded) => {
    const note = `b200000 on dev-next keeps exactly the proposed content; discarded from the environment: ${discarded}`;
    expect(conclude({ align }, aligned, drift)).toEqual({
      status,
      happened: [{ type: 'Normal', reason: 'ConflictResolved', action: 'Promote', note }],
    });
  });
});
