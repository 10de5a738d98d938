import { RevertCommit, type PullRequest } from '@interlock/api';
import { controllerOf } from '@interlock/kube';
import type { ScmView } from './observed.js';
import { isDeleted, isWithdrawn } from './state.js';

/** The commits of a pull request that a user closed. */
export interface ClosedCommits {
  /** The commit with which it was closed. */
  closed: string;
  /** The commit that is proposed now. */
  proposed: string;
}

/**
 * Returns whether a user closed the pull request of the current proposal: of the same commit of the hydrator, or of any
 * commit of a revert. The proposer may not know it yet, and may have added another commit on top. Pure.
 *
 * @param isSameProposal whether the {@link comparedCommits} carry the same commit of the hydrator
 */
export function isRejected(pullRequest: PullRequest, view: ScmView, isSameProposal: boolean): boolean {
  const commits = closedCommits(pullRequest, view);
  return commits !== undefined && (isSame(pullRequest, commits) || isSameProposal);
}

/** Returns the commits that have to be compared in git to know whether the pull request is rejected. Pure. */
export function comparedCommits(pullRequest: PullRequest, view: ScmView): ClosedCommits | undefined {
  const commits = closedCommits(pullRequest, view);
  return commits === undefined || isSame(pullRequest, commits) ? undefined : commits;
}

function isSame(pullRequest: PullRequest, { closed, proposed }: ClosedCommits): boolean {
  return closed === proposed || controllerOf(pullRequest)?.kind === RevertCommit.kind;
}

/* Only for a required pull request that a user closed. */
function closedCommits(pullRequest: PullRequest, view: ScmView): ClosedCommits | undefined {
  const { spec, status } = pullRequest;
  if (isDeleted(pullRequest) || spec.state === 'closed') return undefined;
  if (view === 'absent' || view === 'foreign' || spec.headSHA === undefined) return undefined;
  if (isWithdrawn(pullRequest, view)) return undefined;
  const [state, closed] = view === 'unread' ? [status?.state, status?.headSHA] : [view.state, view.headSha];
  return state === 'closed' && closed !== undefined ? { closed, proposed: spec.headSHA } : undefined;
}
