import { isProblem, type Problem } from '@interlock/base';
import { actionFor, type PullRequestAction } from './action.js';
import { untilNextAttempt } from './merge-attempts.js';
import type { ObservedPullRequest } from './observed.js';
import { isRejected } from './rejected.js';
import { hasFinalizer, isDeleted, isLeftOver } from './state.js';

export type PullRequestDecision =
  | PullRequestAction
  /** A refused merge is requested again in `ms` milliseconds; until then the status does not change. */
  | { type: 'wait'; ms: number }
  /** A problem that prevents any action is reported. */
  | { type: 'report'; problem: Problem };

/** Returns what is to be done for a PullRequest. Pure; `now` in milliseconds since the epoch. */
export function decidePullRequest(observed: ObservedPullRequest, now: number): PullRequestDecision {
  const { pullRequest, asked, repository } = observed;
  if (isLeftOver(pullRequest)) return { type: 'release' };
  if (isProblem(repository)) {
    /* A pull request that can no longer be closed at the SCM is released; one that can be closed later is not. */
    const isLost = isDeleted(pullRequest) && !repository.transient;
    return isLost ? { type: 'release' } : { type: 'report', problem: repository };
  }
  const { plugin, view, isSameProposal } = repository;
  if (isRejected(pullRequest, view, isSameProposal)) return { type: 'none' };
  const action = actionFor(pullRequest, plugin, view);
  switch (action.type) {
    case 'forget':
      /* The finalizer belongs to that pull request: with it, a pull request that others open between the branches would be
         mistaken for ours. */
      return hasFinalizer(pullRequest) ? { type: 'release' } : action;
    case 'merge':
      return asked ? action : mergeInTime(observed, action, view === 'unread', now);
    default:
      return action;
  }
}

function mergeInTime(
  { pullRequest }: ObservedPullRequest,
  action: PullRequestAction,
  isUnread: boolean,
  now: number,
): PullRequestDecision {
  const ms = untilNextAttempt(pullRequest, now);
  if (ms === 0) return action;
  /* The status keeps a refusal of the SCM until the next attempt. */
  const isStatusCurrent = pullRequest.status?.observedGeneration === pullRequest.metadata.generation;
  return isUnread && isStatusCurrent ? { type: 'wait', ms } : { type: 'none' };
}
