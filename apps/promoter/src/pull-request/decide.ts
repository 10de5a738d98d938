import { createHash } from 'node:crypto';
import { finalizers, type PullRequest, type PullRequestStatus } from '@interlock/api';
import type { PullRequestInfo } from '@interlock/scm';

/**
 * What is known of the pull request at the SCM. `unread`: its state in the status is taken for true. `foreign`: the number in
 * the status belongs to a pull request of another repository, or to one that is not from our branch into our branch.
 */
export type ScmView = 'unread' | 'absent' | 'foreign' | PullRequestInfo;

export type PullRequestAction =
  | { type: 'none' }
  /** An open pull request must exist, with title, body and labels of the spec. */
  | { type: 'ensure' }
  | { type: 'close'; id: number }
  /** Whatever is open between the branches is closed: the answer to its creation may have been lost. */
  | { type: 'withdraw' }
  | { type: 'merge'; id: number; sha: string }
  /** The merge queue must not merge it any more. */
  | { type: 'dequeue'; id: number }
  /** The pull request is not ours, or not ours any more: it is left as it is, and what the status says of it is removed. */
  | { type: 'forget' }
  /** The object goes away: nothing is left to do at the SCM. */
  | { type: 'release' };

const resyncMs = 5 * 60_000;

/** @returns the id of the pull request at the SCM. */
export function idOf(status: PullRequestStatus | undefined, plugin: string): number | undefined {
  const kept = status?.plugin?.[plugin];
  if (typeof kept !== 'object' || kept === null || !('id' in kept)) return undefined;
  return typeof kept.id === 'number' ? kept.id : undefined;
}

/** @returns a digest of what the SCM is told; it changes exactly when something has to be sent again. */
export function specDigest({ sourceBranch, title, description, labels }: PullRequest['spec']): string {
  const parts = [sourceBranch, title, description ?? '', ...(labels ?? [])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

const deferredMark = ' deferred';

/** Returns the digest of what the SCM has not been told yet, as it can wait: it is sent when the pull request is read next. */
export function deferredDigest(spec: PullRequest['spec']): string {
  return specDigest(spec) + deferredMark;
}

export function isDeferred(digest: string | undefined): boolean {
  return digest?.endsWith(deferredMark) === true;
}

function isSent(pullRequest: PullRequest, view: ScmView): boolean {
  const { spec, status } = pullRequest;
  return status?.specDigest === specDigest(spec) || (view === 'unread' && isDeferredFor(pullRequest));
}

function isDeferredFor({ spec, status }: PullRequest): boolean {
  return status?.specDigest === deferredDigest(spec);
}

/**
 * A pull request that was merged or closed is final for the commit that it proposed. One made by hand proposes whatever
 * its branch holds: it is final until its spec changes.
 */
export function isFinal(pullRequest: PullRequest): boolean {
  const isOver = pullRequest.status?.state === 'merged' || pullRequest.status?.state === 'closed';
  return isOver && (pullRequest.spec.state === 'closed' || isSettled(pullRequest));
}

/** Returns whether the object waits, when it is deleted, for the pull request at the SCM to be closed. */
export function hasFinalizer({ metadata }: PullRequest): boolean {
  return metadata.finalizers?.includes(finalizers.pullRequest) === true;
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

/**
 * @returns whether the SCM has to be asked before a decision: an open pull request can have changed there, and a closed
 * one can be opened again. `asked`: somebody has a reason to think that it changed.
 */
export function needsRead(pullRequest: PullRequest, plugin: string, asked: boolean, now: number): boolean {
  const { spec, status, metadata } = pullRequest;
  if (idOf(status, plugin) === undefined || status === undefined) return false;
  if (status.state !== 'open') return status.state === 'closed' && asked;
  if (metadata.deletionTimestamp !== undefined || spec.state === 'closed') return true;
  const isTold = status.specDigest === specDigest(spec) || isDeferredFor(pullRequest);
  return asked || !isTold || nextResync(status, now) <= 0;
}

/** @returns milliseconds until an open pull request is to be looked at again. */
export function nextResync(status: PullRequestStatus | undefined, now: number): number {
  const checkedAt = status?.checkedAt === undefined ? 0 : Date.parse(status.checkedAt);
  return checkedAt + resyncMs - now;
}

/** @returns the one thing to do next at the SCM. Pure. */
export function decidePullRequest(
  pullRequest: PullRequest,
  plugin: string,
  view: ScmView,
): PullRequestAction {
  const { spec, status, metadata } = pullRequest;
  if (view === 'foreign') return { type: metadata.deletionTimestamp === undefined ? 'forget' : 'release' };
  const info = typeof view === 'string' ? undefined : view;
  const id = info?.id ?? idOf(status, plugin);
  const isOpen = id !== undefined && (info?.state ?? status?.state) === 'open' && view !== 'absent';
  /* Without the finalizer nothing has been opened that was not closed or merged. */
  const mayBeOpen =
    !isOpen && hasFinalizer(pullRequest) && !isSettled(pullRequest) && !isSpent(pullRequest, info);
  if (metadata.deletionTimestamp !== undefined) {
    if (isOpen) return { type: 'close', id };
    return mayBeOpen ? { type: 'withdraw' } : { type: 'release' };
  }
  if (spec.state === 'closed') {
    if (isOpen) return { type: 'close', id };
    return mayBeOpen ? { type: 'withdraw' } : { type: 'none' };
  }
  const isOver = isFinal(pullRequest) || isSpent(pullRequest, info);
  if (!isOpen) return isOver ? { type: 'none' } : { type: 'ensure' };
  if (info !== undefined && info.head !== spec.sourceBranch) return { type: 'close', id };
  if (status?.merge?.state === 'Queued' && status.merge.sha !== spec.merge?.sha)
    return { type: 'dequeue', id };
  if (!isSent(pullRequest, view)) return { type: 'ensure' };
  const head = info?.headSha ?? spec.merge?.sha;
  if (spec.merge !== undefined && head === spec.merge.sha) return { type: 'merge', id, sha: spec.merge.sha };
  return { type: 'none' };
}

/** @returns whether the pull request that was open, and is not any more, is the one that is wanted. */
function isSpent(pullRequest: PullRequest, info: PullRequestInfo | undefined): boolean {
  const { headSHA } = pullRequest.spec;
  if (info === undefined || isWithdrawn(pullRequest, info)) return false;
  return headSHA === undefined || info.headSha === headSHA;
}

/**
 * Returns whether the promoter closed the pull request itself, which is not a rejection, however often its state is read
 * again: the status is that of a closed one without a head.
 */
export function isWithdrawn({ status }: PullRequest, view: ScmView): boolean {
  if (status?.state !== 'closed' || status.headSHA !== undefined) return false;
  return (
    view === 'unread' || (typeof view === 'object' && view.state === 'closed' && view.url === status.url)
  );
}
