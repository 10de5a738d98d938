import { shortSHA, type PullRequestStatus, type RevertCommit } from '@interlock/api';
import type { ConditionReason } from '@interlock/kube';
import type { ObservedRevert, RevertFacts } from './observed.js';

/** How a revert ended. */
export interface End {
  state: 'Merged' | 'Rejected' | 'Superseded' | 'Expired';
  because: ConditionReason;
}

/** Returns how a revert whose target is known ended, or undefined while it has not ended. */
export function endOf(observed: ObservedRevert, facts: RevertFacts, now: number): End | undefined {
  const { revertCommit, pullRequest } = observed;
  const { spec, status } = revertCommit;
  const { activeBranch } = spec;
  if (status?.state === 'Superseded' || status?.state === 'Expired') {
    return { state: status.state, because: ended(revertCommit, status.state) };
  }
  if (status?.state === 'Merged' || isMerged(observed, facts)) {
    const message = `${activeBranch} was reverted to ${shortSHA(status?.target?.drySHA ?? status?.target?.hydratedSHA)}`;
    return { state: 'Merged', because: { reason: 'Reverted', message } };
  }
  if (isRejected(status?.state, pullRequest?.status)) {
    const message = `${pullRequest?.status?.url ?? 'the pull request'} was closed by a user; ${activeBranch} is unchanged`;
    return { state: 'Rejected', because: { reason: 'ClosedByPerson', message } };
  }
  if (facts.activeIs === 'newer') return { state: 'Superseded', because: ended(revertCommit, 'Superseded') };
  if (isExpired(revertCommit, now)) return { state: 'Expired', because: ended(revertCommit, 'Expired') };
  return undefined;
}

/** Returns whether `spec.expiresAt` has passed. */
export function isExpired({ spec }: RevertCommit, now: number): boolean {
  return spec.expiresAt !== undefined && Date.parse(spec.expiresAt) <= now;
}

/* It does not matter how it was merged, only that the branch has the content. */
function isMerged(
  { revertCommit, pullRequest }: ObservedRevert,
  { contained, active }: RevertFacts,
): boolean {
  if (contained || pullRequest?.status?.state === 'merged') return true;
  return active !== undefined && active.treeSHA === revertCommit.status?.target?.treeSHA;
}

/* A pull request that the promoter closed itself has no headSHA; a reopened one is no longer a rejection. */
function isRejected(
  before: NonNullable<RevertCommit['status']>['state'],
  pullRequest: PullRequestStatus | undefined,
): boolean {
  if (pullRequest?.state === 'closed' && pullRequest.headSHA !== undefined) return true;
  return before === 'Rejected' && pullRequest?.state !== 'open';
}

function ended({ spec, status }: RevertCommit, state: 'Superseded' | 'Expired'): ConditionReason {
  const message =
    state === 'Superseded'
      ? `a dry commit after ${shortSHA(status?.rejectedDrySHA)} became active in ${spec.activeBranch} before the revert was merged`
      : `the revert was not merged before ${spec.expiresAt ?? ''}`;
  return { reason: state, message };
}
