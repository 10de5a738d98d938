import type { PullRequest, PullRequestStatus } from '@interlock/api';
import { isProblem } from '@interlock/base';
import { actionFor } from './action.js';
import type { PullRequestDecision } from './decide.js';
import type { ObservedPullRequest } from './observed.js';
import { hasFinalizer, isDeleted } from './state.js';
import type { Outcome } from './status.js';

/** Decisions after which nothing is done at the SCM, and that may remove the finalizer. */
const withoutAct: ReadonlySet<PullRequestDecision['type']> = new Set(['wait', 'report', 'forget', 'release']);

/**
 * Returns whether the finalizer is to be stored before an act: a pull request is open at the SCM, or may be open once
 * the act has begun. Pure.
 */
export function needsFinalizer(
  decision: PullRequestDecision,
  { pullRequest, repository }: ObservedPullRequest,
): boolean {
  if (isDeleted(pullRequest) || hasFinalizer(pullRequest)) return false;
  if (isProblem(repository) || withoutAct.has(decision.type)) return false;
  if (decision.type === 'ensure') return true;
  const { view } = repository;
  const state = typeof view === 'string' ? pullRequest.status?.state : view.state;
  return state === 'open' && view !== 'absent';
}

/**
 * Returns whether the finalizer is no longer needed after an act. Pure.
 *
 * @param status as it is stored after the act
 */
export function hasEnded(
  pullRequest: PullRequest,
  plugin: string,
  done: { decision: PullRequestDecision; outcome: Outcome },
  status: PullRequestStatus,
): boolean {
  const { decision, outcome } = done;
  if (outcome.problem !== undefined) return false;
  if (decision.type === 'withdraw') return true;
  if (outcome.info === undefined || outcome.info.state === 'open') return false;
  if (pullRequest.spec.state === 'closed') return true;
  return actionFor({ ...pullRequest, status }, plugin, 'unread').type === 'none';
}
