import { finalizers, type PullRequest, type PullRequestStatus } from '@interlock/api';
import type { PullRequestInfo } from '@interlock/scm';
import type { ScmView } from './observed.js';

/** Returns the id of the pull request at the SCM. */
export function idOf(status: PullRequestStatus | undefined, plugin: string): number | undefined {
  const kept = status?.plugin?.[plugin];
  if (typeof kept !== 'object' || kept === null || !('id' in kept)) return undefined;
  return typeof kept.id === 'number' ? kept.id : undefined;
}

export function isDeleted({ metadata }: PullRequest): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Returns whether the deletion of the object waits until the pull request at the SCM is closed. */
export function hasFinalizer({ metadata }: PullRequest): boolean {
  return metadata.finalizers?.includes(finalizers.pullRequest) === true;
}

/**
 * Returns whether the pull request is final: one that was merged or closed is final for the commit that it proposed. An
 * object that was created by hand proposes the content of its branch, and is final until its spec changes.
 */
export function isFinal(pullRequest: PullRequest): boolean {
  const isOver = pullRequest.status?.state === 'merged' || pullRequest.status?.state === 'closed';
  return isOver && (pullRequest.spec.state === 'closed' || isSettled(pullRequest));
}

/**
 * Returns whether the pull request of the present spec is known to be merged or closed. Then nothing that the object
 * opened is open, whereas a pull request for another commit may have been opened without an answer.
 */
export function isSettled({ spec, status, metadata }: PullRequest): boolean {
  if (status?.state !== 'merged' && status?.state !== 'closed') return false;
  if (spec.headSHA === undefined) return status.observedGeneration === metadata.generation;
  return status.headSHA === spec.headSHA;
}

/** Returns whether the finalizer is left from a pull request that was merged or closed. Pure. */
export function isLeftOver(pullRequest: PullRequest): boolean {
  return hasFinalizer(pullRequest) && isSettled(pullRequest);
}

/** Returns whether a pull request that is no longer open is the required one. */
export function isSpent(pullRequest: PullRequest, info: PullRequestInfo | undefined): boolean {
  const { headSHA } = pullRequest.spec;
  if (info === undefined || isWithdrawn(pullRequest, info)) return false;
  return headSHA === undefined || info.headSha === headSHA;
}

/**
 * Returns whether the promoter closed the pull request itself, which is not a rejection, however often its state is read
 * again: the status then describes a closed pull request without a head.
 */
export function isWithdrawn({ status }: PullRequest, view: ScmView): boolean {
  if (status?.state !== 'closed' || status.headSHA !== undefined) return false;
  return (
    view === 'unread' || (typeof view === 'object' && view.state === 'closed' && view.url === status.url)
  );
}
