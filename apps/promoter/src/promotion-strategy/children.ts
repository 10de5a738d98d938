import {
  apiVersionOf,
  CommitStatus,
  labels,
  ProposedCommit,
  promotionStatusKey,
  type PromotionEnvironment,
  type PromotionStrategy,
} from '@interlock/api';
import { childName, controllerReference, labelValue, type ApplyConfiguration } from '@interlock/kube';
import type { CheckLine, DriftPolicy, ObservedEnvironment } from '../promotion/model.js';
import { promotionStatusSpec } from '../promotion/promotion-status.js';
import { ruleNames } from '../promotion/rules.js';
import { keysOf } from '../promotion/statuses.js';

/** @returns the branches that an environment depends on: what it says, or the environment listed before it. */
export function dependenciesOf(strategy: PromotionStrategy, environment: PromotionEnvironment): string[] {
  if (environment.dependsOn !== undefined) return environment.dependsOn;
  const position = strategy.spec.environments.indexOf(environment);
  const before = strategy.spec.environments[position - 1];
  return before === undefined ? [] : [before.branch];
}

export function proposedBranchOf(strategy: PromotionStrategy, environment: PromotionEnvironment): string {
  const path = activePathOf(strategy, environment);
  const branch = environment.branch + strategy.spec.proposedBranchSuffix;
  return path === undefined ? branch : `${branch}/${path}`;
}

/** Returns the name under which the SCM shows the rules of an environment; undefined: that of their key. */
export function promotionStatusNameOf({ spec }: PromotionStrategy, branch: string): string | undefined {
  const environment = spec.environments.find((one) => one.branch === branch);
  return environment?.promotionStatusName ?? spec.promotionStatusName;
}

/** @returns the folder of the environment branch that is promoted; undefined: all of it. */
export function activePathOf(
  strategy: PromotionStrategy,
  environment: PromotionEnvironment,
): string | undefined {
  return environment.activePath ?? strategy.spec.activePath;
}

/** @returns what becomes of drift in an environment. */
export function driftPolicyOf(strategy: PromotionStrategy, environment: PromotionEnvironment): DriftPolicy {
  return environment.driftPolicy ?? strategy.spec.driftPolicy;
}

/** @returns the keys that the active commit of an environment is asked for. */
export function activeKeys(strategy: PromotionStrategy, environment: PromotionEnvironment): string[] {
  return keysOf(strategy.spec.activeCommitStatuses, environment.activeCommitStatuses);
}

/** @returns the keys that the strategy asks a proposed commit of an environment for. */
export function checkKeys(strategy: PromotionStrategy, environment: PromotionEnvironment): string[] {
  const keys = keysOf(strategy.spec.proposedCommitStatuses, environment.proposedCommitStatuses);
  return keys.filter((key) => key !== promotionStatusKey);
}

/** @returns for each environment branch, the names of all checks that can be in the way there. */
export function checksOf(strategy: PromotionStrategy): Map<string, string[]> {
  const checks = (environment: PromotionEnvironment) => [...ruleNames, ...checkKeys(strategy, environment)];
  return new Map(strategy.spec.environments.map((environment) => [environment.branch, checks(environment)]));
}

/**
 * @param pinned the commit of the proposed branch to propose; absent: its tip.
 * @returns the ProposedCommit of an environment.
 */
export function proposedCommit(
  strategy: PromotionStrategy,
  environment: PromotionEnvironment,
  pinned: string | undefined,
): ApplyConfiguration {
  const pullRequest = { ...strategy.spec.pullRequest, ...environment.pullRequest };
  const activePath = activePathOf(strategy, environment);
  const selectors = (keys: string[]) => keys.map((key) => ({ key }));
  return {
    apiVersion: apiVersionOf(ProposedCommit),
    kind: ProposedCommit.kind,
    metadata: childMetadata(strategy, environment.branch, environment.branch),
    spec: {
      repoRef: strategy.spec.repoRef,
      proposedBranch: proposedBranchOf(strategy, environment),
      activeBranch: environment.branch,
      ...(activePath !== undefined && { activePath }),
      ...(pinned !== undefined && { proposedSHA: pinned }),
      commitStatuses: {
        proposed: selectors([...checkKeys(strategy, environment), promotionStatusKey]),
        active: selectors(activeKeys(strategy, environment)),
      },
      autoMerge: environment.autoMerge,
      driftPolicy: driftPolicyOf(strategy, environment),
      ...(Object.keys(pullRequest).length > 0 && { pullRequest }),
    },
  };
}

/**
 * @param name under which the SCM shows it
 * @param lines what the rules say of the commit that is proposed for the environment.
 * @returns the CommitStatus in which people and branch protection read it.
 */
export function promotionStatus(
  strategy: PromotionStrategy,
  environment: ObservedEnvironment,
  { proposedSHA, name }: { proposedSHA: string; name: string },
  lines: readonly CheckLine[],
): ApplyConfiguration {
  const metadata = childMetadata(strategy, environment.branch, `${environment.branch}-${promotionStatusKey}`);
  const at = { repoRef: strategy.spec.repoRef, branch: environment.branch, sha: proposedSHA, name };
  return {
    apiVersion: apiVersionOf(CommitStatus),
    kind: CommitStatus.kind,
    metadata: { ...metadata, labels: { ...metadata.labels, [labels.commitStatusKey]: promotionStatusKey } },
    spec: promotionStatusSpec(at, lines, 'all environments before run it and are healthy'),
  };
}

/** @returns name, namespace, labels and owner of a child that belongs to an environment. */
export function childMetadata(strategy: PromotionStrategy, branch: string, part: string) {
  const { name, namespace } = strategy.metadata;
  return {
    name: childName(name, part),
    ...(namespace !== undefined && { namespace }),
    labels: {
      [labels.promotionStrategy]: labelValue(name),
      [labels.activeBranch]: labelValue(branch),
    },
    ownerReferences: [controllerReference(strategy)],
  };
}
