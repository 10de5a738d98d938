import { shortSHA, type RevertCommit } from '@interlock/api';
import { Failure, type Conclusion, type EventInput } from '@interlock/kube';
import { failedStatus } from '../failed-status.js';
import type { RevertBuild, RevertDecision } from './decide.js';
import type { ObservedRevert } from './observed.js';

/**
 * Returns the status after the act. Pure; `now` in milliseconds since the epoch.
 *
 * @param outcome the SHA of the commit that was pushed, if any.
 */
export function concludeRevert(
  { revertCommit }: Pick<ObservedRevert, 'revertCommit'>,
  { status, build, requeueAfterMs }: RevertDecision,
  outcome: string | undefined | Failure,
  now: number,
): Conclusion<RevertCommit> {
  /* The status reports what is being pushed. It must not report a pull request that was not applied. */
  if (outcome instanceof Failure) {
    const reported = build === undefined ? revertCommit.status : status;
    return { status: failedStatus(revertCommit, reported, outcome, now) };
  }
  if (build === undefined || outcome === undefined) return { status, requeueAfterMs };
  return { status, requeueAfterMs, happened: [committed(revertCommit, build, outcome)] };
}

function committed({ status }: RevertCommit, { branch, parent }: RevertBuild, sha: string): EventInput {
  const target = shortSHA(status?.target?.hydratedSHA);
  const note = `${shortSHA(sha)} on ${branch} restores the content of ${target} on top of ${shortSHA(parent)}`;
  return { type: 'Normal', reason: 'RevertCommitted', action: 'Promote', note };
}
