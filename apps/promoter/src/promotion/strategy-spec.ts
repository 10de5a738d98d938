import { promotionStatusKey, type PromotionEnvironment, type PromotionStrategy } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import type { NamedBranch } from './branch-names.js';
import type { DriftPolicy } from './model.js';
import { pinnedBranchOf } from './pinned.js';
import { ruleNames } from './rules.js';
import { keysOf } from './statuses.js';

/**
 * Returns the branches that an environment depends on: the branches that it names, or the branch of the environment listed before
 * it.
 */
export function dependenciesOf(strategy: PromotionStrategy, environment: PromotionEnvironment): string[] {
  if (environment.dependsOn !== undefined) return environment.dependsOn;
  const position = strategy.spec.environments.indexOf(environment);
  const before = strategy.spec.environments[position - 1];
  return before === undefined ? [] : [before.branch];
}

/** Returns the branch to which the hydrator pushes what is proposed for an environment. */
export function proposedBranchOf(strategy: PromotionStrategy, environment: PromotionEnvironment): string {
  const path = activePathOf(strategy, environment);
  const branch = environment.branch + strategy.spec.proposedBranchSuffix;
  return path === undefined ? branch : `${branch}/${path}`;
}

/** Returns the branches of a strategy, each with the field that names it, or that it follows from. */
export function branchesOf(strategy: PromotionStrategy): NamedBranch[] {
  const { dryBranch, environments } = strategy.spec;
  return [
    { field: 'spec.dryBranch', branch: dryBranch },
    ...environments.flatMap((environment) => {
      const { branch } = environment;
      const pinned = pinnedBranchOf(branch, activePathOf(strategy, environment));
      return [
        { field: 'spec.environments[].branch', branch },
        {
          field: `spec.proposedBranchSuffix, for the proposed branch of ${branch}`,
          branch: proposedBranchOf(strategy, environment),
        },
        ...(finishesInFlight(strategy)
          ? [{ field: `spec.environments[].branch, for the branch in flight of ${branch}`, branch: pinned }]
          : []),
      ];
    }),
  ];
}

/** Returns the name under which the SCM shows the rules of an environment; undefined for the name of their key. */
export function promotionStatusNameOf({ spec }: PromotionStrategy, branch: string): string | undefined {
  const environment = spec.environments.find((one) => one.branch === branch);
  return environment?.promotionStatusName ?? spec.promotionStatusName;
}

/** Returns the folder of the environment branch that is promoted; undefined for the whole branch. */
export function activePathOf(
  strategy: PromotionStrategy,
  environment: PromotionEnvironment,
): string | undefined {
  return environment.activePath ?? strategy.spec.activePath;
}

/** Returns how promotions treat drift in an environment. */
export function driftPolicyOf(strategy: PromotionStrategy, environment: PromotionEnvironment): DriftPolicy {
  return environment.driftPolicy ?? strategy.spec.driftPolicy;
}

/** Returns whether a dry commit in flight has to reach the last environment before a newer one begins. */
export function finishesInFlight({ spec }: PromotionStrategy): boolean {
  return spec.promotionPolicy === 'FinishInFlight';
}

/** Returns the keys that are required of the active commit of an environment. */
export function activeKeys(strategy: PromotionStrategy, environment: PromotionEnvironment): string[] {
  return keysOf(strategy.spec.activeCommitStatuses, environment.activeCommitStatuses);
}

/** Returns the keys that the strategy requires of a proposed commit of an environment. */
export function checkKeys(strategy: PromotionStrategy, environment: PromotionEnvironment): string[] {
  const keys = keysOf(strategy.spec.proposedCommitStatuses, environment.proposedCommitStatuses);
  return keys.filter((key) => key !== promotionStatusKey);
}

/** Returns, for each environment branch, the names of all checks that can block there. */
export function checksOf(strategy: PromotionStrategy): Map<string, string[]> {
  const checks = (environment: PromotionEnvironment) => [...ruleNames, ...checkKeys(strategy, environment)];
  return new Map(strategy.spec.environments.map((environment) => [environment.branch, checks(environment)]));
}

/** How a strategy reverts an environment, with defaults filled in. */
export interface ResolvedRevertPolicy {
  mode: 'Off' | 'PullRequest' | 'Auto';
  /** Milliseconds. */
  afterFailedForMs: number;
  maxPerHour: number;
  skippableChecks: readonly string[];
}

/** Returns the policy of an environment, which overrides the policy of its strategy field by field. */
export function revertPolicyOf(
  strategy: PromotionStrategy,
  environment: PromotionEnvironment,
): ResolvedRevertPolicy {
  const policy = { ...strategy.spec.revertPolicy, ...environment.revertPolicy };
  return {
    mode: policy.mode ?? 'Off',
    afterFailedForMs: parseDuration(policy.afterFailedFor ?? '5m'),
    maxPerHour: policy.maxPerHour ?? 3,
    skippableChecks: keysOf(policy.skippableChecks),
  };
}
