import {
  CommitStatus,
  labels,
  objectKey,
  promotionStatusKey,
  typeMeta,
  type ObjectKey,
  type RevertCommit,
} from '@interlock/api';
import { childName, controllerReference, labelValue, type ApplyConfiguration } from '@interlock/kube';
import { promotionStatusSpec } from '../promotion/promotion-status.js';
import { revertRules } from './checks.js';
import type { RevertGates } from './observed.js';

/** Returns the key of the one PullRequest of a RevertCommit. */
export function revertPullRequestKey({ metadata: { name, namespace } }: RevertCommit): ObjectKey {
  return objectKey(namespace, childName(name, 'revert'));
}

/** Returns the key of the one CommitStatus of a RevertCommit. */
export function revertStatusKey({ metadata: { name, namespace } }: RevertCommit): ObjectKey {
  return objectKey(namespace, childName(name, `revert-${promotionStatusKey}`));
}

/** Returns the CommitStatus that branch protection requires of every commit for the environment. */
export function revertPromotionStatus(
  revertCommit: RevertCommit,
  revertSHA: string,
  gates: RevertGates,
): ApplyConfiguration {
  const { spec } = revertCommit;
  const at = { repoRef: spec.repoRef, branch: spec.activeBranch, sha: revertSHA, name: gates.statusName };
  return {
    ...typeMeta(CommitStatus),
    metadata: {
      ...revertStatusKey(revertCommit),
      labels: {
        [labels.activeBranch]: labelValue(spec.activeBranch),
        [labels.commitStatusKey]: promotionStatusKey,
      },
      ownerReferences: [controllerReference(revertCommit)],
    },
    spec: promotionStatusSpec(at, revertRules(gates), 'a revert; exempt from Forward and Order'),
  };
}
