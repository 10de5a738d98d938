import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { Failure, getCondition } from '@interlock/kube';
import { concludeRevert } from './conclude.js';
import { branch, known, now, revertCommit, revertSHA, target, unwanted } from './testing/builders.js';

const status = { ...known, observedGeneration: 1 };
const build = { branch, parent: unwanted, treeSHA: target.treeSHA, message: 'Revert test', date: '' };
const pullRequest = { apiVersion: 'v1', kind: 'PullRequest', metadata: { name: 'back-revert' } };
const failure = new Failure(new TypedError('Conflict', 'the branch moved on'), true);
const observed = { revertCommit: revertCommit() };

describe('a RevertCommit after the act', () => {
  it('has the status that was decided, and is reconciled again when it expires', () => {
    const decision = { status, pullRequest, requeueAfterMs: now };
    expect(concludeRevert(observed, decision, undefined, now)).toEqual({ status, requeueAfterMs: now });
  });

  it('reports once that its commit was pushed', () => {
    const note = `c100000 on ${branch} restores the content of a000000 on top of a100000`;
    expect(concludeRevert(observed, { status, build }, revertSHA, now)).toEqual({
      status,
      happened: [{ type: 'Normal', reason: 'RevertCommitted', action: 'Promote', note }],
    });
  });

  it('has the status that was decided even if its commit was not pushed', () => {
    const decision = { status, build, requeueAfterMs: now };
    expect(concludeRevert(observed, decision, failure, now)).toEqual({ status });
  });

  it('reports that its branch cannot be pushed', () => {
    const refused = new Failure(new TypedError('Permanent', 'protected', { reason: 'Rejected' }), true);
    const { status: after } = concludeRevert(observed, { status, build }, refused, now);
    expect(getCondition(after?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'Rejected' });
  });

  it('keeps its status when its pull request was not applied', () => {
    expect(concludeRevert(observed, { status, pullRequest }, failure, now)).toEqual({ status: known });
  });
});
