import { conditions, type PullRequest } from '@interlock/api';
import { getCondition, type ConditionReason } from '@interlock/kube';

/**
 * Returns why the SCM has not merged a commit as requested: its refusal, or its merge queue; undefined while there is no
 * response yet. Pure.
 */
export function unmergedReason(
  pullRequest: PullRequest | undefined,
  sha: string | undefined,
): ConditionReason | undefined {
  const { merge, url = 'the pull request' } = pullRequest?.status ?? {};
  if (merge === undefined || merge.sha !== sha) return undefined;
  if (merge.state === 'Queued') {
    return {
      reason: 'InMergeQueue',
      message: `${url}: ${merge.message}; the SCM merges it when its turn comes`,
    };
  }
  const message = `the SCM refuses to merge ${url} (${merge.reason}): ${merge.message}`;
  return { reason: 'MergeRefused', message };
}

/** Returns that the pull request is being opened, or why it cannot be opened. Pure. */
export function openingReason(pullRequest: PullRequest | undefined): ConditionReason {
  const {
    status,
    observedGeneration,
    message = '',
  } = getCondition(pullRequest?.status?.conditions, conditions.ready) ?? {};
  if (status !== 'False' || observedGeneration !== pullRequest?.metadata.generation) {
    return { reason: 'OpeningPullRequest', message: 'the pull request is being opened' };
  }
  return { reason: 'PullRequestNotOpened', message: `the pull request is not open: ${message}` };
}

/** Returns whether a reason is one of {@link openingReason}. */
export function isOpening({ reason }: ConditionReason): boolean {
  return reason === 'OpeningPullRequest' || reason === 'PullRequestNotOpened';
}

/** Returns whether the SCM merges the commit only when it contains the tip of the environment branch. Pure. */
export function mustContainBase(pullRequest: PullRequest | undefined, sha: string | undefined): boolean {
  const merge = pullRequest?.status?.merge;
  return merge?.sha === sha && merge?.reason === 'Behind';
}
