import { keyOf, type GitRepository, type RevertCommitStatus } from '@interlock/api';
import { branchRef, HYDRATOR_NOTES_REF } from '@interlock/git';
import { referringTo, type Caches } from '../indexes.js';
import { proposedBranchOf } from '../promotion-strategy/children.js';

type Referring = 'strategies' | 'proposedCommits' | 'revertCommits';

/**
 * @returns the refs of a repository that somebody looks at, sorted; empty when nobody does.
 * Only objects of the repository's own namespace can refer to it.
 */
export function wantedRefs(
  gitRepository: GitRepository,
  { strategies, proposedCommits, revertCommits }: Pick<Caches, Referring>,
): string[] {
  const key = keyOf(gitRepository);
  const branches = new Set<string>();
  for (const strategy of referringTo(strategies, key)) {
    branches.add(strategy.spec.dryBranch);
    for (const environment of strategy.spec.environments) {
      branches.add(environment.branch).add(proposedBranchOf(strategy, environment));
    }
  }
  for (const { spec } of referringTo(proposedCommits, key)) {
    branches.add(spec.activeBranch).add(spec.proposedBranch);
  }
  for (const { spec, status } of referringTo(revertCommits, key)) {
    branches.add(spec.activeBranch);
    if (status?.branch !== undefined && isUnderWay(status)) branches.add(status.branch);
  }
  return branches.size === 0 ? [] : [...[...branches].map(branchRef).sort(), HYDRATOR_NOTES_REF];
}

/* Whoever merged or gave up a revert may delete its branch. */
function isUnderWay({ state }: RevertCommitStatus): boolean {
  return state === undefined || state === 'Pending' || state === 'Open';
}
