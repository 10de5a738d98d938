import type { Actor } from '../../domain/accounts.js';
import { accessOf, roleOf } from '../../domain/access.js';
import type { Core } from '../../domain/core.js';
import type { Repository } from '../../domain/model.js';
import { nodeId, type Links } from '../links.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';
import { presentAccount } from './account.js';

/** Returns the repository in the form that other objects and webhooks contain. */
export function presentRepository(core: Core, links: Links, repository: Repository) {
  const owner = core.owner(repository);
  const { html, api, clone } = links.repository(owner.login, repository.name);
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: `${owner.login}/${repository.name}`,
    private: true,
    owner: presentAccount(links, owner),
    html_url: html,
    description: repository.description === '' ? null : repository.description,
    fork: false,
    url: api,
    branches_url: `${api}/branches{/branch}`,
    commits_url: `${api}/commits{/sha}`,
    compare_url: `${api}/compare/{base}...{head}`,
    contents_url: `${api}/contents/{+path}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    hooks_url: `${api}/hooks`,
    labels_url: `${api}/labels{/name}`,
    pulls_url: `${api}/pulls{/number}`,
    statuses_url: `${api}/statuses/{sha}`,
    clone_url: clone,
    git_url: clone,
    default_branch: repository.defaultBranch,
    archived: repository.archived,
    disabled: false,
    visibility: 'private',
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    pushed_at: repository.pushedAt,
  } satisfies Subset<Schemas['repository']>;
}

/** Returns the repository with the permissions of the caller. */
export function presentFullRepository(core: Core, links: Links, actor: Actor, repository: Repository) {
  const role = actor.installation === undefined ? roleOf(actor, repository) : undefined;
  const push = accessOf(actor, repository, 'contents') === 'write';
  const admin = role === 'admin';
  return {
    ...presentRepository(core, links, repository),
    permissions: { admin, maintain: admin, push, triage: push, pull: true },
    allow_merge_commit: repository.mergeMethods.includes('merge'),
    allow_squash_merge: repository.mergeMethods.includes('squash'),
    allow_rebase_merge: repository.mergeMethods.includes('rebase'),
    delete_branch_on_merge: repository.deleteBranchOnMerge,
    open_issues_count: repository.pulls.filter(({ state }) => state === 'open').length,
    subscribers_count: 0,
    network_count: 0,
  } satisfies Subset<Schemas['full-repository']>;
}
