import type { PullRequest } from '@interlock/api';
import type { ScmView } from './observed.js';
import { hasFinalizer, idOf, isDeleted, isFinal, isSettled, isSpent } from './state.js';
import { isSent } from './text.js';

/** An action at the SCM. */
export type PullRequestAction =
  | { type: 'none' }
  /**
   * An open pull request must exist, with the title, the body and the labels of the spec. A pull request that is `known` to be
   * open is only updated: when a user has closed it meanwhile, no other pull request is opened.
   */
  | { type: 'ensure'; known?: number }
  | { type: 'close'; id: number }
  /** Any pull request that is open between the branches is closed: the answer to its creation may have been lost. */
  | { type: 'withdraw' }
  | { type: 'merge'; id: number; sha: string }
  /** The merge queue must not merge it any more. */
  | { type: 'dequeue'; id: number }
  /**
   * The pull request does not belong to this object, or no longer belongs to it: it is not changed, and its data is removed from
   * the status.
   */
  | { type: 'forget' }
  /** Nothing is left to do at the SCM that would require the finalizer. */
  | { type: 'release' };

/** Returns the next action at the SCM. Pure. */
export function actionFor(pullRequest: PullRequest, plugin: string, view: ScmView): PullRequestAction {
  const { spec, status } = pullRequest;
  if (view === 'foreign') return { type: isDeleted(pullRequest) ? 'release' : 'forget' };
  const info = typeof view === 'string' ? undefined : view;
  const id = info?.id ?? idOf(status, plugin);
  const isOpen = id !== undefined && (info?.state ?? status?.state) === 'open' && view !== 'absent';
  /* Without the finalizer, everything that was opened has been closed or merged. */
  const mayBeOpen =
    !isOpen && hasFinalizer(pullRequest) && !isSettled(pullRequest) && !isSpent(pullRequest, info);
  if (isDeleted(pullRequest)) {
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
  if (!isSent(pullRequest, view)) return { type: 'ensure', known: id };
  const head = info?.headSha ?? spec.merge?.sha;
  if (spec.merge !== undefined && head === spec.merge.sha) return { type: 'merge', id, sha: spec.merge.sha };
  return { type: 'none' };
}
