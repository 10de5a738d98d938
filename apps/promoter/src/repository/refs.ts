import {
  branchRef,
  isBranchName,
  type PromotionStrategy,
  type ProposedCommit,
  type RevertCommit,
} from '@interlock/api';
import { pinnedBranchOf } from '../promotion/pinned.js';
import { activePathOf, finishesInFlight, proposedBranchOf } from '../promotion/strategy-spec.js';

/** Returns the refs that a strategy depends on. */
export function refsOfStrategy(strategy: PromotionStrategy): string[] {
  const { dryBranch, environments } = strategy.spec;
  const pinned = finishesInFlight(strategy);
  const branches = environments.flatMap((environment) => [
    environment.branch,
    proposedBranchOf(strategy, environment),
    ...(pinned ? [pinnedBranchOf(environment.branch, activePathOf(strategy, environment))] : []),
  ]);
  return refsOf([dryBranch, ...branches]);
}

/** Returns the refs that a proposed commit depends on. */
export function refsOfProposedCommit({ spec }: ProposedCommit): string[] {
  const { activeBranch, proposedBranch, activePath, proposedSHA } = spec;
  const pinned = proposedSHA === undefined ? [] : [pinnedBranchOf(activeBranch, activePath)];
  return refsOf([activeBranch, proposedBranch, ...pinned]);
}

/** Returns the refs that a revert depends on: its own branch only until it has ended, because it may be deleted then. */
export function refsOfRevert({ spec, status }: RevertCommit): string[] {
  const underWay = status?.state === 'Pending' || status?.state === 'Open';
  const own = underWay && status.branch !== undefined ? [status.branch] : [];
  return refsOf([spec.activeBranch, ...own]);
}

/* A name that git does not allow must not affect the other objects of the repository. */
function refsOf(branches: readonly string[]): string[] {
  return branches.filter(isBranchName).map(branchRef);
}
