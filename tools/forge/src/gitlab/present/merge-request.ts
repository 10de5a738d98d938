import type { ExpandedMergeRequestSchema, MergeRequestSchema } from '@gitbeaker/rest';
import type { Domain } from '../../domain/domain.js';
import type { PullRequest, Repository } from '../../domain/model.js';
import { latestStatuses, pipelineState } from '../../domain/statuses.js';
import type { Subset } from '../../rest/subset.js';
import type { Links } from '../links.js';
import { presentPipeline } from './status.js';
import { presentUser } from './user.js';

/** The type of the field in gitbeaker does not contain all values. */
type Shown<T> = Subset<Omit<T, 'detailed_merge_status' | 'merge_user' | 'description'>>;

export function stateOf(pull: PullRequest): 'opened' | 'closed' | 'merged' {
  if (pull.merge !== undefined) return 'merged';
  return pull.state === 'open' ? 'opened' : 'closed';
}

/** Returns the merge request in the form of lists. */
export async function presentMergeRequest(
  domain: Domain,
  links: Links,
  repository: Repository,
  pull: PullRequest,
) {
  const { core } = domain;
  const { path, html } = links.project(core, repository);
  const user = (id: number | undefined) => (id === undefined ? null : presentUser(links, core.account(id)));
  const merger = user(pull.merge?.byId);
  const detailed = await detailedMergeStatus(domain, repository, pull);
  return {
    id: pull.id,
    iid: pull.number,
    project_id: repository.id,
    source_project_id: repository.id,
    target_project_id: repository.id,
    title: pull.title,
    description: pull.body,
    state: stateOf(pull),
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    merged_by: merger,
    merge_user: merger,
    merged_at: pull.merge?.at ?? null,
    closed_by: pull.merge === undefined ? user(pull.closedById) : null,
    closed_at: pull.merge === undefined ? (pull.closedAt ?? null) : null,
    source_branch: pull.head.ref,
    target_branch: pull.base.ref,
    author: presentUser(links, core.account(pull.authorId)),
    reviewers: pull.reviewerIds.map((id) => presentUser(links, core.account(id))),
    labels: [...pull.labels].sort(),
    draft: pull.draft,
    work_in_progress: pull.draft,
    merge_status: detailed === 'conflict' ? ('cannot_be_merged' as const) : ('can_be_merged' as const),
    detailed_merge_status: detailed,
    has_conflicts: detailed === 'conflict',
    sha: pull.head.sha,
    merge_commit_sha: pull.merge?.sha ?? null,
    squash_commit_sha: null,
    squash: false,
    reference: `!${pull.number}`,
    references: { short: `!${pull.number}`, relative: `!${pull.number}`, full: `${path}!${pull.number}` },
    web_url: `${html}/-/merge_requests/${pull.number}`,
  } satisfies Shown<MergeRequestSchema>;
}

/** Returns the complete merge request. */
export async function presentFullMergeRequest(
  domain: Domain,
  links: Links,
  repository: Repository,
  pull: PullRequest,
) {
  const { sha, ref } = pull.head;
  return {
    ...(await presentMergeRequest(domain, links, repository, pull)),
    head_pipeline: presentPipeline(domain.core, links, repository, sha, ref),
    diff_refs: { base_sha: pull.base.sha, head_sha: sha, start_sha: pull.base.sha },
    merge_error: null,
  } satisfies Shown<Omit<ExpandedMergeRequestSchema, 'head_pipeline'>>;
}

/** Returns the status in the order of GitLab's checks (GitLab, "Merge requests API: merge status"). */
export async function detailedMergeStatus(
  { merging, requiredChecks }: Domain,
  repository: Repository,
  pull: PullRequest,
): Promise<string> {
  if (pull.state !== 'open') return 'not_open';
  if (pull.draft) return 'draft_status';
  if ((await merging.trial(repository, pull)) === null) return 'conflict';
  const base = repository.refs[`refs/heads/${pull.base.ref}`] ?? pull.base.sha;
  const obstacle = await requiredChecks.obstacle(repository, pull, base);
  if (obstacle === undefined) return 'mergeable';
  if (obstacle.reason.code === 'Behind') return 'need_rebase';
  if (obstacle.reason.code === 'ReviewsRequired') return 'not_approved';
  const pipeline = pipelineState(latestStatuses(repository, pull.head.sha));
  return pipeline === 'running' || pipeline === 'pending' ? 'ci_still_running' : 'ci_must_pass';
}
