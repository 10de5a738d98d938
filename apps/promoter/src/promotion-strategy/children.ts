import {
  CommitStatus,
  labels,
  ProposedCommit,
  promotionStatusKey,
  typeMeta,
  type PromotionEnvironment,
  type PromotionStrategy,
} from '@interlock/api';
import { childName, controllerReference, labelValue, type ApplyConfiguration } from '@interlock/kube';
import type { CheckLine, ObservedEnvironment } from '../promotion/model.js';
import { promotionStatusSpec } from '../promotion/promotion-status.js';
import {
  activeKeys,
  activePathOf,
  checkKeys,
  driftPolicyOf,
  proposedBranchOf,
} from '../promotion/strategy-spec.js';

/**
 * Returns the ProposedCommit of an environment.
 * @param pinned the commit of the proposed branch to propose; absent: its tip.
 */
export function proposedCommit(
  strategy: PromotionStrategy,
  environment: PromotionEnvironment,
  pinned: string | undefined,
): ApplyConfiguration & ProposedCommit {
  const pullRequest = { ...strategy.spec.pullRequest, ...environment.pullRequest };
  const activePath = activePathOf(strategy, environment);
  const selectors = (keys: string[]) => keys.map((key) => ({ key }));
  return {
    ...typeMeta(ProposedCommit),
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
 * Returns the CommitStatus that users and branch protection read.
 * @param name that the SCM shows
 * @param lines results of the rules for the commit that is proposed for the environment.
 */
export function promotionStatus(
  strategy: PromotionStrategy,
  environment: ObservedEnvironment,
  { proposedSHA, name }: { proposedSHA: string; name: string },
  lines: readonly CheckLine[],
): ApplyConfiguration & CommitStatus {
  const metadata = childMetadata(strategy, environment.branch, `${environment.branch}-${promotionStatusKey}`);
  const at = { repoRef: strategy.spec.repoRef, branch: environment.branch, sha: proposedSHA, name };
  return {
    ...typeMeta(CommitStatus),
    metadata: { ...metadata, labels: { ...metadata.labels, [labels.commitStatusKey]: promotionStatusKey } },
    spec: promotionStatusSpec(at, lines, 'all preceding environments run the commit and are healthy'),
  };
}

/** Returns the name, the namespace, the labels and the owner of a child that belongs to an environment. */
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
