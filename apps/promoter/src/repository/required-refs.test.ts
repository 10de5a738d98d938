import { describe, expect, it } from '@jest/globals';
import type { RevertCommit } from '@interlock/api';
import { hydratorNotesRef } from '@interlock/git';
import { promotionStrategy, proposedCommit } from '../testing/objects.js';
import { requiredRefs } from './required-refs.js';

const key = { namespace: 'team', name: 'repo' };
const holding = <T>(...objects: T[]) => ({ byIndex: () => objects });

describe('requiredRefs', () => {
  it('returns the branches of all objects of a repository, each once, and the notes', () => {
    const caches = {
      strategies: holding(promotionStrategy()),
      proposedCommits: holding(proposedCommit()),
      revertCommits: holding<RevertCommit>(),
    };
    const branches = ['refs/heads/dev', 'refs/heads/dev-next', 'refs/heads/main'];
    expect(requiredRefs(caches, key)).toEqual([...branches, hydratorNotesRef]);
  });

  it('omits names that git does not allow, so that the other objects of the repository are not affected', () => {
    const wrong = promotionStrategy({
      spec: { dryBranch: 'apps/.main', environments: [{ branch: 'prod.lock/eu', autoMerge: true }] },
    });
    const caches = {
      strategies: holding(promotionStrategy(), wrong),
      proposedCommits: holding(proposedCommit({ spec: { activeBranch: 'qa/-1' } })),
      revertCommits: holding<RevertCommit>(),
    };
    const branches = ['refs/heads/dev', 'refs/heads/dev-next', 'refs/heads/main'];
    expect(requiredRefs(caches, key)).toEqual([...branches, hydratorNotesRef]);
  });
});
