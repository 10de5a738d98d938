import type { PromotionStrategy } from '@interlock/api';
import { Problem } from '@interlock/base';
import { proposedBranchOf } from '../promotion/strategy-spec.js';
import { isOlder } from './overlap.js';

/**
 * Returns the problem of a strategy if a proposed branch is also an environment branch, a dry branch or the proposed
 * branch of another environment, of the strategy itself or of an older one: the promoter pushes to proposed branches
 * without a check. Pure.
 *
 * @param others strategies of the same repository and namespace; this one may be among them.
 */
export function proposedBranchProblem(
  strategy: PromotionStrategy,
  others: readonly PromotionStrategy[],
): Problem | undefined {
  const older = others.filter(
    (other) => other.metadata.deletionTimestamp === undefined && isOlder(other, strategy),
  );
  const pairs = [strategy, ...older].flatMap((other) => [
    [strategy, other] as const,
    [other, strategy] as const,
  ]);
  const shared = sharedProblem([strategy, ...older]);
  if (shared !== undefined) return shared;
  for (const [proposing, using] of pairs) {
    const used = [using.spec.dryBranch, ...using.spec.environments.map(({ branch }) => branch)];
    for (const environment of proposing.spec.environments) {
      const branch = proposedBranchOf(proposing, environment);
      if (!used.includes(branch)) continue;
      const message = `spec.environments[].branch: ${branch} is the proposed branch of ${environment.branch} (PromotionStrategy ${proposing.metadata.name}), and the dry branch or an environment branch of PromotionStrategy ${using.metadata.name}; choose another branch, or another proposedBranchSuffix`;
      return new Problem('ProposedBranchInUse', message, { transient: false });
    }
  }
  return undefined;
}

/** @param strategies the strategy, then older ones, whose problems among themselves are not reported. */
function sharedProblem([strategy, ...older]: readonly PromotionStrategy[]): Problem | undefined {
  const taken = new Map(older.flatMap(proposalsOf));
  for (const [branch, place] of strategy === undefined ? [] : proposalsOf(strategy)) {
    const other = taken.get(branch);
    taken.set(branch, place);
    if (other === undefined) continue;
    const message = `spec.environments[].branch: ${branch} is the proposed branch of both ${other} and ${place}; choose another branch, or another proposedBranchSuffix`;
    return new Problem('ProposedBranchInUse', message, { transient: false });
  }
  return undefined;
}

/** Returns the proposed branches of a strategy, each with the environment that it belongs to, for messages. */
function proposalsOf(strategy: PromotionStrategy): [string, string][] {
  return strategy.spec.environments.map((environment) => [
    proposedBranchOf(strategy, environment),
    `${environment.branch} (PromotionStrategy ${strategy.metadata.name})`,
  ]);
}
