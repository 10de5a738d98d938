import { RevertCommit, type PullRequest } from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { controllerOf } from '@interlock/kube';
import { rejectedOrigin } from '../promotion/rejection.js';
import { originOf } from '../promotion/provenance.js';
import { isWithdrawn, type ScmView } from './decide.js';

/**
 * Returns whether a person closed the pull request of what is proposed now: of the same commit of the hydrator, or of any
 * commit of a revert. The proposer may not know yet, and have moved on to another commit of its own on top.
 *
 * @param mirror at the active path.
 * @throws TypedError of the git layer.
 */
export async function isRejected(
  mirror: HistoryReader,
  pullRequest: PullRequest,
  view: ScmView,
): Promise<boolean> {
  const { spec, status, metadata } = pullRequest;
  if (metadata.deletionTimestamp !== undefined || spec.state === 'closed') return false;
  if (view === 'absent' || view === 'foreign' || spec.headSHA === undefined) return false;
  if (isWithdrawn(pullRequest, view)) return false;
  const { state, headSHA } =
    view === 'unread'
      ? { state: status?.state, headSHA: status?.headSHA }
      : { ...view, headSHA: view.headSha };
  if (state !== 'closed' || headSHA === undefined) return false;
  if (headSHA === spec.headSHA || controllerOf(pullRequest)?.kind === RevertCommit.kind) return true;
  const origin = await rejectedOrigin(mirror, { ...pullRequest, status: { state, headSHA } });
  return origin === (await originOf(mirror, spec.headSHA));
}
