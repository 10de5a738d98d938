import type { GitRepository, PromotionStrategy, ProposedCommit } from '@interlock/api';
import { branchRef, HYDRATOR_NOTES_REF } from '@interlock/git';
import { proposedBranchOf } from '../promotion-strategy/children.js';

/**
 * @returns the refs of a repository that somebody looks at, sorted; empty when nobody does.
 * Only objects of the repository's own namespace can refer to it.
 */
export function wantedRefs(
  gitRepository: GitRepository,
  strategies: readonly PromotionStrategy[],
  proposedCommits: readonly ProposedCommit[],
): string[] {
  const refersHere = ({ metadata, spec }: PromotionStrategy | ProposedCommit): boolean =>
    metadata.namespace === gitRepository.metadata.namespace &&
    spec.repoRef.name === gitRepository.metadata.name;
  const branches = new Set<string>();
  for (const strategy of strategies.filter(refersHere)) {
    branches.add(strategy.spec.dryBranch);
    for (const environment of strategy.spec.environments) {
      branches.add(environment.branch).add(proposedBranchOf(strategy, environment));
    }
  }
  for (const { spec } of proposedCommits.filter(refersHere)) {
    branches.add(spec.activeBranch).add(spec.proposedBranch);
  }
  return branches.size === 0 ? [] : [...[...branches].map(branchRef).sort(), HYDRATOR_NOTES_REF];
}
