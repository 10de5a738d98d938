import { describe, expect, it } from '@jest/globals';
import { branchRef, PromotionStrategy, ProposedCommit, RevertCommit } from '@interlock/api';
import { hydratorNotesRef } from '@interlock/git';
import { MemoryCache } from '@interlock/kube/testing';
import fc from 'fast-check';
import { createCaches } from '../caches.js';
import { revertCommit } from '../revert-commit/testing/builders.js';
import { promotionStrategy, proposedCommit } from '../testing/objects.js';
import { isRequiredRef, requiredRefs } from './required-refs.js';

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

describe('isRequiredRef', () => {
  const branches = ['main', 'dev', 'dev-next', 'dev-next/x', 'interlock/in-flight/dev', 'back', 'a..b'];
  const branch = fc.constantFrom(...branches);
  const repoRef = fc.constantFrom({ name: 'repo' }, { name: 'other' });
  const strategies = fc
    .record({
      repoRef,
      dryBranch: branch,
      activePath: fc.constantFrom('x', undefined),
      promotionPolicy: fc.constantFrom('ReleaseLatest' as const, 'FinishInFlight' as const),
      environments: branch.map((name) => [{ branch: name, autoMerge: true }]),
    })
    .map((spec) => promotionStrategy({ spec }));
  const proposedCommits = fc
    .record({
      repoRef,
      activeBranch: branch,
      proposedBranch: branch,
      proposedSHA: fc.constantFrom('a'.repeat(40), undefined),
    })
    .map((spec) => proposedCommit({ spec }));
  const reverts = fc
    .tuple(repoRef, branch, branch, fc.constantFrom('Open' as const, 'Merged' as const))
    .map(([repo, activeBranch, own, state]) =>
      revertCommit({ repoRef: repo, activeBranch }, { state, branch: own }),
    );
  const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 1 });

  it('is true for exactly the required refs', () => {
    const check = (
      promoting: PromotionStrategy[],
      proposing: ProposedCommit[],
      reverting: RevertCommit[],
    ): void => {
      const stores = [
        new MemoryCache(PromotionStrategy, ...promoting),
        new MemoryCache(ProposedCommit, ...proposing),
        new MemoryCache(RevertCommit, ...reverting),
      ];
      const caches = createCaches({
        cache: (kind) =>
          (stores.find((one) => one.kind.kind === kind.kind) ?? new MemoryCache(kind)) as never,
      });
      const required = requiredRefs(caches, key);
      const others = requiredRefs(caches, { ...key, name: 'other' });
      const refs = [...new Set([...required, ...others, 'refs/heads/feature', hydratorNotesRef])];
      expect(refs.filter((ref) => isRequiredRef(caches, key, ref))).toEqual(required);
    };
    fc.assert(fc.property(some(strategies), some(proposedCommits), some(reverts), check), { numRuns: 300 });
  });

  it('does not read the refs of all objects of the repository', () => {
    let found = 0;
    const cache = createCaches({ cache: (kind) => new MemoryCache(kind) }).strategies;
    for (let n = 0; n < 300; n++)
      (cache as MemoryCache<PromotionStrategy>).set(
        promotionStrategy({ metadata: { name: `s${n}` }, spec: { activePath: `apps/${n}` } }),
      );
    const counted = {
      byIndex(index: string, value: string) {
        const objects = cache.byIndex(index, value);
        found += objects.length;
        return objects;
      },
    };
    const caches = {
      strategies: counted,
      proposedCommits: holding<ProposedCommit>(),
      revertCommits: holding<RevertCommit>(),
    };
    expect(isRequiredRef(caches, key, branchRef('dev-next/apps/7'))).toBe(true);
    expect(isRequiredRef(caches, key, branchRef('feature'))).toBe(false);
    expect(found).toBe(1);
  });
});
