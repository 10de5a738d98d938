import { describe, expect, it } from '@jest/globals';
import type { ProposedCommit, RevertCommit } from '@interlock/api';
import { controllerReference } from '@interlock/kube';
import { revertPullRequestKey } from '../revert-commit/children.js';
import { revertCommit } from '../revert-commit/testing/builders.js';
import { pullRequestKey } from '../proposed-commit/decide.js';
import { proposedCommit, pullRequest } from '../testing/objects.js';
import { takenChildProblem } from './pull-request.js';

const revert = revertCommit();
const proposed = proposedCommit({ metadata: { name: 'back-revert', namespace: 'team' } });
const of = (owner: ProposedCommit | RevertCommit) =>
  pullRequest({ metadata: { name: 'back-revert', ownerReferences: [controllerReference(owner)] } });

describe('a RevertCommit and a ProposedCommit whose PullRequests have the same name', () => {
  it.each([
    ['RevertCommit', revert, proposed, 'ProposedCommit back-revert'],
    ['ProposedCommit', proposed, revert, 'RevertCommit back'],
  ])('do not take it from each other: the %s names the owner', (_, second, first, owner) => {
    expect(pullRequestKey(proposed)).toEqual(revertPullRequestKey(revert));
    expect(takenChildProblem(second, of(first))).toMatchObject({
      reason: 'ChildNameInUse',
      transient: false,
      message: expect.stringContaining(`would be back-revert, which belongs to ${owner};`),
    });
  });

  it.each([revert, proposed])('use their own, and one without an owner ($kind)', (owner) => {
    const all = [of(owner), pullRequest({ metadata: { name: 'back-revert' } }), undefined];
    for (const one of all) expect(takenChildProblem(owner, one)).toBeUndefined();
  });
});
