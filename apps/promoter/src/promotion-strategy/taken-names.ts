import type { PromotionStrategy, ProposedCommit } from '@interlock/api';
import { Problem } from '@interlock/base';
import { controllerOf } from '@interlock/kube';
import { childMetadata } from './children.js';

const recheckMs = 60_000;

/** Returns the ProposedCommits that other strategies control; not those of a strategy that no longer exists. Pure. */
export function childrenOfOthers(
  { metadata: { uid } }: PromotionStrategy,
  proposedCommits: readonly ProposedCommit[],
  strategies: readonly PromotionStrategy[],
): ProposedCommit[] {
  const others = strategies.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const uids = new Set(others.map(({ metadata }) => metadata.uid).filter((other) => other !== uid));
  return proposedCommits.filter((child) => uids.has(controllerOf(child)?.uid));
}

/**
 * Returns the problem of a strategy one of whose children would have the name of a child of another strategy: `shop` with the
 * environment `eu-prod`, and `shop-eu` with `prod`. They would take the child from each other. Pure.
 *
 * @param others the ProposedCommits that other strategies of the namespace control
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
