import { shortSHA, type ProposedCommit } from '@interlock/api';
import { Failure, type Conclusion, type EventInput } from '@interlock/kube';
import { describeDrift } from '../promotion/model.js';
import { failedStatus } from '../failed-status.js';
import type { Alignment } from './alignment.js';
import { isPush, type ProposedCommitDecision } from './decide.js';
import type { ObservedProposedCommit } from './observed.js';

/**
 * Returns the status after the act. Pure; `now` in milliseconds since the epoch.
 *
 * @param outcome the SHA of the merge commit that was pushed, if any.
 */
export function concludeProposedCommit(
  observed: ObservedProposedCommit,
  decision: ProposedCommitDecision,
  outcome: string | undefined | Failure,
  now: number,
): Conclusion<ProposedCommit> {
  const { status, align, deferredMs } = decision;
  /* The status reports what is being pushed. It must not report a pull request that was not applied. */
  if (outcome instanceof Failure) {
    const { proposedCommit } = observed;
    const reported = isPush(decision) ? status : proposedCommit.status;
    return { status: failedStatus(proposedCommit, reported, outcome, now) };
  }
  if (deferredMs !== undefined) return { requeueAfterMs: deferredMs };
  if (align === undefined || outcome === undefined) return { status };
  return { status, happened: [conflictResolved(observed, align, outcome)] };
}

function conflictResolved({ facts }: ObservedProposedCommit, { branch }: Alignment, sha: string): EventInput {
  const discarded = describeDrift(facts.drift) || 'nothing except promotions';
  const note = `${shortSHA(sha)} on ${branch} keeps exactly the proposed content; discarded from the environment: ${discarded}`;
  return { type: 'Normal', reason: 'ConflictResolved', action: 'Promote', note };
}
