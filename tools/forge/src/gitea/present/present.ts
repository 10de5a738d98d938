import type { Domain } from '../../domain/domain.js';
import type { Account, CommitStatus, Label, PullRequest, Repository } from '../../domain/model.js';
import { branchOf } from '../../domain/pulls.js';
import type { Links } from '../links.js';

export function presentUser(links: Links, { id, login, name, email }: Account) {
  return { id, login, username: login, full_name: name, email, html_url: `${links.html}/${login}` };
}

export function presentRepository({ core }: Domain, links: Links, repository: Repository) {
  const { html, path, api } = links.repository(core, repository);
  const allows = (method: Repository['mergeMethods'][number]): boolean =>
    repository.mergeMethods.includes(method);
  return {
    id: repository.id,
    owner: presentUser(links, core.owner(repository)),
    name: repository.name,
    full_name: path,
    description: repository.description,
    empty: Object.keys(repository.refs).length === 0,
    private: true,
    fork: false,
    html_url: html,
    url: api,
    clone_url: `${html}.git`,
    default_branch: repository.defaultBranch,
    archived: repository.archived,
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    allow_merge_commits: allows('merge'),
    allow_squash_merge: allows('squash'),
    allow_rebase: allows('rebase'),
  };
}

export function presentLabel({ id, name, color, description }: Label) {
  return { id, name, color, description: description ?? '', exclusive: false, is_archived: false };
}

/** Returns a status. In responses, its state is in the field `status`. */
export function presentStatus({ core }: Domain, links: Links, status: CommitStatus) {
  return {
    id: status.id,
    status: status.state === 'running' ? 'pending' : status.state,
    target_url: status.targetUrl ?? '',
    description: status.description ?? '',
    context: status.context,
    creator: presentUser(links, core.account(status.creatorId)),
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}

/** Returns a pull request. A trial merge determines whether it can be merged. */
export async function presentPull(domain: Domain, links: Links, repository: Repository, pull: PullRequest) {
  const { core, merging, labels } = domain;
  const { html, api } = links.repository(core, repository);
  const isOpen = pull.state === 'open';
  // Returns the tip of an existing branch, even if the pull request was closed earlier.
  const side = ({ ref, sha }: { ref: string; sha: string }, gone: string) => {
    const tip = branchOf(repository, ref);
    return { label: ref, ref: tip === undefined ? gone : ref, sha: tip ?? sha, repo_id: repository.id };
  };
  return {
    id: pull.id,
    number: pull.number,
    user: presentUser(links, core.account(pull.authorId)),
    title: pull.title,
    body: pull.body ?? '',
    labels: labels.of(repository, pull).map(presentLabel),
    state: pull.state,
    draft: pull.draft,
    is_locked: false,
    url: `${api}/pulls/${pull.number}`,
    html_url: `${html}/pulls/${pull.number}`,
    mergeable: isOpen && !pull.draft && (await merging.trial(repository, pull)) !== null,
    merged: pull.merge !== undefined,
    merged_at: pull.merge?.at ?? null,
    merge_commit_sha: pull.merge?.sha ?? null,
    merged_by: pull.merge === undefined ? null : presentUser(links, core.account(pull.merge.byId)),
    requested_reviewers: pull.reviewerIds.map((id) => presentUser(links, core.account(id))),
    base: side(pull.base, pull.base.ref),
    head: side(pull.head, `refs/pull/${pull.number}/head`),
    merge_base: pull.base.sha,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt ?? null,
  };
}
