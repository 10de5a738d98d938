import { Failure } from '@interlock/kube';
import type { PullRequestDecision } from './decide.js';
import { MergeRefused } from './merge-refused.js';
import type { Outcome } from './status.js';

/** What follows from an act beyond the status of its PullRequest. */
export interface Consequences {
  /** The decision was made from what a requested read brought, or would have brought. */
  followsRequest: boolean;
  /** The pull request is not what its status says: it is read again. */
  requestsRead: boolean;
  /** The repository is read again: a branch changed, or is not what the merge was decided from. */
  refreshes: boolean;
}

/** Reasons of refusals for which the pull request is read again. */
const notAsKnown: ReadonlySet<string> = new Set(['Retargeted', 'HeadMoved', 'NotOpen']);
/** Decisions that do not depend on what is at the SCM. */
const unseen: ReadonlySet<PullRequestDecision['type']> = new Set(['release', 'report']);

/** Returns what follows from a decision, and from what became of it. Pure. */
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
