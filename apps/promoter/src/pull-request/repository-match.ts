import type { PullRequest, PullRequestStatus } from '@interlock/api';
import type { PullRequestInfo } from '@interlock/scm';
import { idOf } from './state.js';

/**
 * Whether the pull request of a status belongs to a repository. `unknown`: this cannot be known until the pull request with that
 * number in the repository is read.
 */
export type RepositoryMatch = 'same' | 'other' | 'unknown';

/** Returns whether the pull request of a status belongs to the repository at `url`. Pure. */
export function repositoryMatchOf(
  status: PullRequestStatus | undefined,
  plugin: string,
  url: string,
): RepositoryMatch {
  const hasNumber = idOf(status, plugin) !== undefined;
  const known = status?.repository;
  if (known === undefined) return hasNumber && status?.state === 'open' ? 'unknown' : 'same';
  if (known.url === url) return 'same';
  /* A repository that was renamed keeps its id, and its pull requests keep their numbers. */
  return hasNumber && known.id !== undefined && isSameHost(known.url, url) ? 'unknown' : 'other';
}

/**
 * Returns whether a pull request at the SCM is the one that the object opened: in the same repository, from its branch into
 * its branch. A pull request that a user has retargeted is not. Pure.
 *
 * @param url of the repository that it was read from
 */
export function isOurs({ spec, status }: PullRequest, info: PullRequestInfo, url: string): boolean {
  const known = status?.repository;
  const isSameRepository =
    known?.id !== undefined && info.repositoryId !== undefined
      ? known.id === info.repositoryId
      : (known?.url ?? url) === url;
  const isOurHead = info.head === spec.sourceBranch || info.head === status?.sourceBranch;
  return isSameRepository && isOurHead && info.base === spec.targetBranch;
}

function isSameHost(one: string, other: string): boolean {
  return new URL(one).host === new URL(other).host;
}
