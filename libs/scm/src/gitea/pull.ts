import type { PullRequestInfo } from '../scm.js';

/** The fields of a pull request that are read from responses of the API. */
export interface Pull {
  number: number;
  html_url: string;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  draft?: boolean;
  merged: boolean;
  mergeable: boolean;
  merge_commit_sha: string | null;
  merged_by: { login: string } | null;
  closed_at: string | null;
  /**
   * When the branch does not exist, `ref` is the reference of the pull request itself; the label is still the name of
   * the branch.
   */
  head: { ref: string; label: string; sha: string; repo_id: number };
  base: { ref: string; sha: string; repo_id: number };
  labels: { name: string }[] | null;
  created_at: string;
  updated_at: string;
}

/** Returns the pull request, without its mergeability or the user who closed it. */
export function infoOf(pull: Pull): PullRequestInfo {
  const mergedBy = pull.merged_by?.login;
  return {
    id: pull.number,
    url: pull.html_url,
    title: pull.title,
    body: pull.body ?? '',
    state: pull.merged ? 'merged' : pull.state,
    draft: pull.draft ?? false,
    head: isPullRef(pull.head.ref) ? pull.head.label : pull.head.ref,
    headSha: pull.head.sha,
    base: pull.base.ref,
    labels: (pull.labels ?? []).map(({ name }) => name),
    createdAt: pull.created_at,
    updatedAt: pull.updated_at,
    mergeability: 'unknown',
    repositoryId: String(pull.base.repo_id),
    ...(pull.merged && pull.merge_commit_sha !== null ? { mergeSha: pull.merge_commit_sha } : {}),
    ...(pull.merged && mergedBy !== undefined ? { mergedBy } : {}),
  };
}

/** Returns whether a ref is the reference of a pull request, which replaces the reference of a deleted branch. */
export function isPullRef(ref: string): boolean {
  return ref.startsWith('refs/pull/');
}
