import { Failure } from '@interlock/kube';
import type { PullRequestDecision } from './decide.js';
import { MergeRefused } from './merge-refused.js';
import type { Outcome } from './status.js';

/** The consequences of an act beyond the status of its PullRequest. */
export interface Consequences {
  /** Whether the decision used the result of a requested read, or did not need it. */
  followsRequest: boolean;
  /** Whether the pull request is read again, because it differs from its status. */
  requestsRead: boolean;
  /**
   * Whether the repository is read again: the merge changed a branch, or a branch is not in the state for which the merge was
   * decided.
   */
  refreshes: boolean;
}

/** Reasons of refusals for which the pull request is read again. */
const notAsKnown: ReadonlySet<string> = new Set(['Retargeted', 'HeadMoved', 'NotOpen']);
/** Decisions that do not depend on the state at the SCM. */
const unseen: ReadonlySet<PullRequestDecision['type']> = new Set(['release', 'report']);

/** Returns the consequences of a decision and its outcome. Pure. */
export function consequencesOf(decision: PullRequestDecision, outcome: Outcome | Failure): Consequences {
  const followsRequest = !unseen.has(decision.type);
  if (outcome instanceof Failure) {
    const { error } = outcome;
    const isRefused = error instanceof MergeRefused;
    return {
      followsRequest,
      requestsRead: isRefused && notAsKnown.has(error.reason),
      refreshes: isRefused,
    };
  }
  const isHeldBack = decision.type === 'merge' && outcome.problem !== undefined;
  return {
    followsRequest,
    requestsRead: false,
    refreshes: isHeldBack || outcome.info?.state === 'merged',
  };
}
