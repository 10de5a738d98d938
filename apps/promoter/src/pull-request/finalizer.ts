import { finalizers, type PullRequest, type PullRequestStatus } from '@interlock/api';
import {
  decidePullRequest,
  hasFinalizer,
  isSettled,
  type PullRequestAction,
  type ScmView,
} from './decide.js';
import type { Outcome } from './status.js';

/** What keeps the object until the pull request at the SCM is closed. */
export const finalizer = finalizers.pullRequest;

/**
 * Returns whether the finalizer is to be stored before an action: a pull request is open at the SCM, or may be open once
 * the action has begun. Pure.
 */
export function needsFinalizer(pullRequest: PullRequest, action: PullRequestAction, view: ScmView): boolean {
  if (pullRequest.metadata.deletionTimestamp !== undefined || hasFinalizer(pullRequest)) return false;
  if (action.type === 'ensure') return true;
  const state = typeof view === 'string' ? pullRequest.status?.state : view.state;
  return state === 'open' && view !== 'absent';
}

/** Returns whether the finalizer is left from a pull request that was merged or closed. Pure. */
export function isLeftOver(pullRequest: PullRequest): boolean {
  return hasFinalizer(pullRequest) && isSettled(pullRequest);
}

/**
 * Returns whether an action has ended what the finalizer is for. Pure.
 *
 * @param status as it is stored after the action
 */
export function hasEnded(
  pullRequest: PullRequest,
  plugin: string,
  done: { action: PullRequestAction; outcome: Outcome },
  status: PullRequestStatus,
): boolean {
  const { action, outcome } = done;
  if (!hasFinalizer(pullRequest) || outcome.problem !== undefined) return false;
  if (action.type === 'withdraw') return true;
  if (outcome.info === undefined || outcome.info.state === 'open') return false;
  if (pullRequest.spec.state === 'closed') return true;
  return decidePullRequest({ ...pullRequest, status }, plugin, 'unread').type === 'none';
}
