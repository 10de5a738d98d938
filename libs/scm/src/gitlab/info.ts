import type { Mergeability, PullRequestInfo } from '../scm.js';
import { fromGitlab } from './description.js';

/** The fields of a merge request that are used here; gitbeaker's types do not contain all of their values. */
interface Listed {
  iid: number;
  title: string;
  description: string | null;
  state: string;
  draft: boolean;
  source_branch: string;
  target_branch: string;
  target_project_id: number;
  sha: string | null;
  labels: readonly unknown[];
  created_at: string;
  updated_at: string;
  web_url: string;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
}

/** Fields that only the response for a single merge request contains reliably. */
interface Shown extends Listed {
  detailed_merge_status?: string;
  merge_user?: unknown;
  closed_by: unknown;
}

/** The values of `detailed_merge_status` with a known meaning (REST API, "Merge requests: merge status"). */
const mergeabilities: Readonly<Record<string, Mergeability>> = {
  mergeable: 'mergeable',
  conflict: 'conflicting',
  blocked_status: 'blocked',
  broken_status: 'conflicting',
  ci_must_pass: 'blocked',
  ci_still_running: 'blocked',
  commits_status: 'blocked',
  discussions_not_resolved: 'blocked',
  draft_status: 'blocked',
  external_status_checks: 'blocked',
  jira_association_missing: 'blocked',
  locked_lfs_files: 'blocked',
  locked_paths: 'blocked',
  merge_request_blocked: 'blocked',
  merge_time: 'blocked',
  need_rebase: 'behind',
  not_approved: 'blocked',
  policies_denied: 'blocked',
  requested_changes: 'blocked',
  security_policy_violations: 'blocked',
  status_checks_must_pass: 'blocked',
  title_regex: 'blocked',
};

const draftPrefix = /^\s*(\[draft\]|\(draft\)|draft:)\s*/i;

/** Returns the title that marks a merge request as a draft. */
export function draftTitle(title: string): string {
  return `Draft: ${title}`;
}

/** Returns a merge request from a list. */
export function summary(request: Listed): PullRequestInfo {
  const merged = request.state === 'merged';
  return {
    id: request.iid,
    url: request.web_url,
    title: request.draft ? request.title.replace(draftPrefix, '') : request.title,
    body: fromGitlab(request.description ?? ''),
    state: merged ? 'merged' : request.state === 'closed' ? 'closed' : 'open',
    draft: request.draft,
    head: request.source_branch,
    headSha: request.sha ?? '',
    base: request.target_branch,
    labels: request.labels.filter((label) => typeof label === 'string'),
    createdAt: request.created_at,
    updatedAt: request.updated_at,
    mergeability: 'unknown',
    repositoryId: String(request.target_project_id),
    ...(merged ? { mergeSha: mergeShaOf(request) } : {}),
  };
}

/** Returns a merge request from the response for that single merge request. */
export function details(request: Shown): PullRequestInfo {
  const info = summary(request);
  const mergedBy = loginOf(request.merge_user);
  const closedBy = loginOf(request.closed_by);
  return {
    ...info,
    mergeability: info.state === 'open' ? mergeabilityOf(request.detailed_merge_status) : 'unknown',
    ...(info.state === 'merged' && mergedBy !== undefined ? { mergedBy } : {}),
    ...(info.state === 'closed' && closedBy !== undefined ? { closedBy } : {}),
  };
}

/**
 * Returns the commit on the target branch: the commit of a merge or of a squash, or the head itself after a
 * fast-forward.
 */
export function mergeShaOf(request: Pick<Listed, 'merge_commit_sha' | 'squash_commit_sha' | 'sha'>): string {
  return request.merge_commit_sha ?? request.squash_commit_sha ?? request.sha ?? '';
}

function mergeabilityOf(status: string | undefined): Mergeability {
  if (status === undefined || !Object.hasOwn(mergeabilities, status)) return 'unknown';
  return mergeabilities[status] ?? 'unknown';
}

function loginOf(user: unknown): string | undefined {
  if (typeof user !== 'object' || user === null || !('username' in user)) return undefined;
  return typeof user.username === 'string' ? user.username : undefined;
}
