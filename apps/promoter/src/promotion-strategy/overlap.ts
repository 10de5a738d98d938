import type { PromotionStrategy } from '@interlock/api';
import { Problem } from '@interlock/base';
import { activePathOf } from '../promotion/strategy-spec.js';

/** The content of an environment branch that a strategy promotes. */
interface Claim {
  branch: string;
  activePath: string | undefined;
}

/**
 * Returns the problem of a strategy that promotes what an older strategy already promotes; the older strategy continues.
 * @param others strategies of the same repository and namespace; this one may be among them.
 */
export function overlapProblem(
  strategy: PromotionStrategy,
  others: readonly PromotionStrategy[],
): Problem | undefined {
  for (const other of others) {
    if (other.metadata.deletionTimestamp !== undefined || !isOlder(other, strategy)) continue;
    for (const claim of claimsOf(strategy)) {
      const taken = claimsOf(other).find((theirs) => overlaps(claim, theirs));
      if (taken === undefined) continue;
      const message = `spec.environments[].branch: ${describe(claim)} belongs to PromotionStrategy ${other.metadata.name} (${describe(taken)}); choose another branch, or an activePath that does not overlap`;
      return new Problem('OverlappingEnvironment', message, { transient: false });
    }
  }
  return undefined;
}

/** Returns whether one strategy was created before another. */
export function isOlder({ metadata: a }: PromotionStrategy, { metadata: b }: PromotionStrategy): boolean {
  const [created, other] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  return created === other ? a.name < b.name : created < other;
}

function claimsOf(strategy: PromotionStrategy): Claim[] {
  return strategy.spec.environments.map((environment) => ({
    branch: environment.branch,
    activePath: activePathOf(strategy, environment),
  }));
}

function overlaps(a: Claim, b: Claim): boolean {
  if (a.branch !== b.branch) return false;
  if (a.activePath === undefined || b.activePath === undefined) return true;
  const [one, two] = [`${a.activePath}/`, `${b.activePath}/`];
  return one.startsWith(two) || two.startsWith(one);
}

function describe({ branch, activePath }: Claim): string {
  return activePath === undefined ? `all of ${branch}` : `${activePath} of ${branch}`;
}
