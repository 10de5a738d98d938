import type { Domain } from '../../domain/domain.js';
import { startOf } from '../../domain/range.js';
import type { Label, PullRequest, Repository } from '../../domain/model.js';
import { nodeId, type Links } from '../links.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';
import { presentAccount } from './account.js';
import { presentRepository } from './repository.js';

export function presentLabel(api: string, { id, name, color, description }: Label) {
  return {
    id,
    node_id: nodeId('Label', id),
    url: `${api}/labels/${encodeURIComponent(name)}`,
    name,
    color,
    default: false,
    description,
  } satisfies Schemas['label'];
}

/** Returns the pull request in the form of lists and webhooks, without computed fields. */
export function presentPull(
  { core, labels }: Domain,
  links: Links,
  repository: Repository,
  pull: PullRequest,
) {
  const owner = core.owner(repository);
  const { html, api } = links.repository(owner.login, repository.name);
  const { number, head, base } = pull;
  const url = `${api}/pulls/${number}`;
  const branch = ({ ref, sha }: { ref: string; sha: string }) => ({
    label: `${owner.login}:${ref}`,
    ref,
    sha,
    user: presentAccount(links, owner),
    repo: presentRepository(core, links, repository),
  });
  return {
    url,
    id: pull.id,
    node_id: nodeId('PullRequest', pull.id),
    html_url: `${html}/pull/${number}`,
    diff_url: `${html}/pull/${number}.diff`,
    patch_url: `${html}/pull/${number}.patch`,
    issue_url: `${api}/issues/${number}`,
    commits_url: `${url}/commits`,
    comments_url: `${api}/issues/${number}/comments`,
    statuses_url: `${api}/statuses/${head.sha}`,
    number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: presentAccount(links, core.account(pull.authorId)),
    body: pull.body,
    labels: labels.of(repository, pull).map((label) => presentLabel(api, label)),
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: pull.reviewerIds.map((id) => presentAccount(links, core.account(id))),
    requested_teams: [],
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt ?? null,
    merged_at: pull.merge?.at ?? null,
    merge_commit_sha: pull.merge?.sha ?? pull.trial?.sha ?? null,
    head: branch(head),
    base: branch(base),
    author_association: 'NONE' as const,
    auto_merge: null,
    draft: pull.draft,
  } satisfies Subset<Schemas['pull-request']>;
}

/** Returns the complete pull request, with its mergeability from a trial merge and the size of its diff. */
export async function presentFullPull(
  domain: Domain,
  links: Links,
  repository: Repository,
  pull: PullRequest,
) {
  const { core, merging } = domain;
  const git = core.git(repository);
  const open = pull.state === 'open';
  const trial = open ? await merging.trial(repository, pull) : undefined;
  const from = await startOf(core, repository, pull);
  const files = await git.changes(from, pull.head.sha);
  const sum = (pick: 'additions' | 'deletions'): number =>
    files.reduce((total, file) => total + file[pick], 0);
  return {
    ...presentPull(domain, links, repository, pull),
    merged: pull.merge !== undefined,
    mergeable: trial === undefined ? null : trial !== null,
    rebaseable: trial === undefined ? null : trial !== null,
    mergeable_state: open ? await mergeableState(domain, repository, pull, trial ?? null) : 'unknown',
    merged_by: pull.merge === undefined ? null : presentAccount(links, core.account(pull.merge.byId)),
    comments: repository.comments.filter(({ issueNumber }) => issueNumber === pull.number).length,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: (await git.divergence(from, pull.head.sha)).ahead,
    additions: sum('additions'),
    deletions: sum('deletions'),
    changed_files: files.length,
  } satisfies Subset<Schemas['pull-request']>;
}

async function mergeableState(
  { requiredChecks }: Domain,
  repository: Repository,
  pull: PullRequest,
  trial: string | null,
): Promise<string> {
  if (pull.draft) return 'draft';
  if (trial === null) return 'dirty';
  const base = repository.refs[`refs/heads/${pull.base.ref}`] ?? pull.base.sha;
  const obstacle = await requiredChecks.obstacle(repository, pull, base);
  if (obstacle !== undefined) return obstacle.state;
  return requiredChecks.allGreen(repository, pull.head.sha) ? 'clean' : 'unstable';
}
