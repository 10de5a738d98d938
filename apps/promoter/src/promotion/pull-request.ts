import {
  keyOf,
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

/** Returns a PullRequest that no longer requests a merge, with a change of its spec. */
export function withoutMerge(
  owner: ProposedCommit | RevertCommit,
  pullRequest: PullRequest,
  change: Partial<PullRequest['spec']>,
): ApplyConfiguration {
  const { merge: _merge, ...spec } = pullRequest.spec;
  return pullRequestOf(owner, keyOf(pullRequest), { ...spec, ...change });
}
