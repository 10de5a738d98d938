import {
  labels,
  PullRequest,
  typeMeta,
  type ObjectKey,
  type ProposedCommit,
  type RevertCommit,
} from '@interlock/api';
import { controllerReference, labelValue, type ApplyConfiguration } from '@interlock/kube';

/** Returns the PullRequest with the name `key`, controlled by its owner. */
export function pullRequestOf(
  owner: ProposedCommit | RevertCommit,
  key: ObjectKey,
  spec: Record<string, unknown>,
): ApplyConfiguration {
  return {
    ...typeMeta(PullRequest),
    metadata: {
      ...key,
      labels: { [labels.activeBranch]: labelValue(owner.spec.activeBranch) },
      ownerReferences: [controllerReference(owner)],
    },
    spec,
  };
}
