import {
  keyOf,
  labels,
  PullRequest,
  typeMeta,
  type CommitStatus,
  type ObjectKey,
  type ProposedCommit,
  type RevertCommit,
} from '@interlock/api';
import { Problem } from '@interlock/base';
import { controllerOf, controllerReference, labelValue, type ApplyConfiguration } from '@interlock/kube';

const recheckMs = 60_000;

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

/**
 * Returns the problem of an owner whose child would be that of an owner of another kind: the RevertCommit `shop` and the
 * ProposedCommit `shop-revert` would take their PullRequest from each other. Pure.
 *
 * @param child the PullRequest or CommitStatus with the name of that of the owner, if there is one
 */
export function takenChildProblem(
  owner: ProposedCommit | RevertCommit,
  child: PullRequest | CommitStatus | undefined,
): Problem | undefined {
  const other = child && controllerOf(child);
  if (other === undefined || other.kind === owner.kind) return undefined;
  const message = `metadata.name: its ${child?.kind} would be ${child?.metadata.name}, which belongs to ${other.kind} ${other.name}; give one of them another name`;
  return new Problem('ChildNameInUse', message, { transient: false, retryAfterMs: recheckMs });
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
