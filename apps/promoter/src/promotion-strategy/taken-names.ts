import type { PromotionStrategy, ProposedCommit } from '@interlock/api';
import { Problem } from '@interlock/base';
import { childName, controllerOf, isControlledBy } from '@interlock/kube';
import { childMetadata } from './children.js';
import { isOlder } from './overlap.js';

const recheckMs = 60_000;

/**
 * Returns the ProposedCommits that a strategy needs and that belong to other strategies; not to one that no longer exists. If
 * two strategies each control a child that the other needs, both belong to the older one, so that it continues. Pure.
 */
export function childrenOfOthers(
  strategy: PromotionStrategy,
  proposedCommits: readonly ProposedCommit[],
  strategies: readonly PromotionStrategy[],
): ProposedCommit[] {
  const needed = childNames(strategy);
  const own = proposedCommits.filter((child) => isControlledBy(child, strategy));
  const gives = (other: PromotionStrategy) => {
    if (other.metadata.deletionTimestamp !== undefined) return true;
    if (!isOlder(strategy, other)) return false;
    const theirs = childNames(other);
    return own.some(({ metadata }) => theirs.has(metadata.name));
  };
  return proposedCommits.filter((child) => {
    if (!needed.has(child.metadata.name) || own.includes(child)) return false;
    const owner = strategies.find((other) => isControlledBy(child, other));
    return owner !== undefined && !gives(owner);
  });
}

/** Returns the names of the children that a strategy needs. Pure. */
export function childNames({ metadata, spec }: PromotionStrategy): Set<string> {
  return new Set(spec.environments.map(({ branch }) => childName(metadata.name, branch)));
}

/**
 * Returns the problem of a strategy one of whose children would have the name of a child of another strategy: `shop` with the
 * environment `eu-prod`, and `shop-eu` with `prod`. They would take the child from each other. Pure.
 *
 * @param others the ProposedCommits that {@link childrenOfOthers} returns
 */
export function takenNameProblem(
  strategy: PromotionStrategy,
  others: readonly ProposedCommit[],
): Problem | undefined {
  const taken = new Map(others.map((child) => [child.metadata.name, child]));
  for (const { branch } of strategy.spec.environments) {
    const { name } = childMetadata(strategy, branch, branch);
    const child = taken.get(name);
    if (child === undefined) continue;
    const other = `PromotionStrategy ${controllerOf(child)?.name} for ${child.spec.activeBranch}`;
    const message = `metadata.name: the ProposedCommit of ${branch} would be ${name}, which belongs to ${other}; give one of the strategies another name`;
    return new Problem('ChildNameInUse', message, { transient: false, retryAfterMs: recheckMs });
  }
  return undefined;
}
