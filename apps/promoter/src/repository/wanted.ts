import type { PromotionStrategy, ProposedCommit } from '@interlock/api';
import { branchRef, HYDRATOR_NOTES_REF } from '@interlock/git';
import { proposedBranchOf } from '../promotion-strategy/children.js';

/** @returns the refs that a strategy looks at. */
export function refsOfStrategy(strategy: PromotionStrategy): string[] {
  const { dryBranch, environments } = strategy.spec;
  const branches = environments.flatMap((environment) => [
    environment.branch,
    proposedBranchOf(strategy, environment),
  ]);
  return [dryBranch, ...branches].map(branchRef);
}

/** @returns the refs that a proposed commit looks at. */
export function refsOfProposedCommit({ spec }: ProposedCommit): string[] {
  return [spec.activeBranch, spec.proposedBranch].map(branchRef);
}

/**
 * @param strategies those of one repository, as are the proposed commits
 * @returns the refs of the repository that somebody looks at, each once; empty when nobody does.
 */
export function wantedRefs(
  strategies: readonly PromotionStrategy[],
  proposedCommits: readonly ProposedCommit[],
): string[] {
  const refs = new Set([
    ...strategies.flatMap(refsOfStrategy),
    ...proposedCommits.flatMap(refsOfProposedCommit),
  ]);
  return refs.size === 0 ? [] : [...[...refs].sort(), HYDRATOR_NOTES_REF];
}
