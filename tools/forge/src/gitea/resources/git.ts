import { branchOf } from '../../domain/pulls.js';
import { git as runGit } from '../../git/run.js';
import { listTree } from '../../git/tree.js';
import { repositoryRoute, type GiteaRoute, type RepositoryCall } from '../call.js';
import { GiteaError, notFound } from '../errors.js';
import { presentGitCommit } from '../present/commit.js';

/** Gitea, `DEFAULT_GIT_TREES_PER_PAGE`, whose default is 1000. A low value makes clients read several pages. */
const treePageSize = 100;
const idOf = /^[0-9a-f]{40}$/;

/** REST API, "repository": branches, references, commits, trees and blobs. */
export const gitRoutes: GiteaRoute[] = [
  repositoryRoute('GET /branches/{branch+}', 'contents:read', async (call) => ({
    status: 200,
    body: await presentBranch(call, call.parameter('branch')),
  })),
  repositoryRoute('DELETE /branches/{branch+}', 'contents:write', async (call) => {
    const { domain, repository } = call;
    const name = call.parameter('branch');
    if (branchOf(repository, name) === undefined) throw notFound();
    if (name === repository.defaultBranch) throw new GiteaError(403, 'can not delete default branch');
    if (repository.protections[name] !== undefined) throw new GiteaError(403, 'branch protected');
    await domain.gitData.deleteReference(repository, `refs/heads/${name}`);
    return { status: 204 };
  }),
  repositoryRoute('GET /git/refs/{ref+}', 'contents:read', (call) => {
    const prefix = `refs/${call.parameter('ref')}`;
    const found = Object.entries(call.repository.refs).filter(([ref]) => ref.startsWith(prefix));
    if (found.length === 0) throw notFound();
    const body = found.map(([ref, sha]) => ({
      ref,
      url: `${apiOf(call)}/git/${ref}`,
      object: { type: 'commit', sha, url: `${apiOf(call)}/git/commits/${sha}` },
    }));
    return { status: 200, body };
  }),
  repositoryRoute('GET /git/commits/{sha}', 'contents:read', async (call) => {
    const sha = call.parameter('sha');
    const commit = idOf.test(sha) ? await call.git.resolve(sha) : branchOf(call.repository, sha);
    if (commit === undefined) throw notFound();
    const found = await call.git.commit(commit);
    return { status: 200, body: presentGitCommit(call.domain, call.links, call.repository, found) };
  }),
  repositoryRoute('GET /git/trees/{sha}', 'contents:read', async (call) => {
    const sha = call.parameter('sha');
    const tree = await call.git.resolve(branchOf(call.repository, sha) ?? sha, 'tree');
    if (tree === undefined) throw new GiteaError(400, `sha not found [${sha}]`);
    return { status: 200, body: await presentTree(call, tree) };
  }),
  repositoryRoute('GET /git/blobs/{sha}', 'contents:read', async (call) => {
    const sha = call.parameter('sha');
    const missing = new GiteaError(400, `object does not exist [id: ${sha}, rel_path: ]`);
    if (!idOf.test(sha)) throw missing;
    const { code, stdout } = await runGit(call.git.path, ['cat-file', 'blob', sha], { allow: [128] });
    if (code !== 0) throw missing;
    const url = `${apiOf(call)}/git/blobs/${sha}`;
    const content = stdout.toString('base64');
    return { status: 200, body: { content, encoding: 'base64', url, sha, size: stdout.length } };
  }),
];

async function presentBranch({ repository, git }: RepositoryCall, name: string) {
  const sha = branchOf(repository, name);
  if (sha === undefined) throw notFound();
  const protection = repository.protections[name];
  const contexts = protection?.requiredStatusChecks?.contexts;
  const { message, author, committer } = await git.commit(sha);
  return {
    name,
    commit: { id: sha, message, author, committer, timestamp: committer.date },
    protected: protection !== undefined,
    required_approvals: 0,
    enable_status_check: contexts !== undefined,
    status_check_contexts: contexts ?? [],
    user_can_push: protection?.blockPushes !== true,
    user_can_merge: true,
    effective_branch_protection_name: protection === undefined ? '' : name,
  };
}

/** Returns a page of a tree. `truncated` states that there is another page. */
async function presentTree(call: RepositoryCall, sha: string) {
  const { query } = call;
  const recursive = ['1', 'true'].includes(query.get('recursive') ?? '');
  const all = await listTree(call.git, sha, { recursive });
  const page = Math.max(1, Number(query.get('page')) || 1);
  const asked = Number(query.get('per_page')) || treePageSize;
  const size = asked > 0 && asked < treePageSize ? asked : treePageSize;
  const api = apiOf(call);
  return {
    sha,
    url: `${api}/git/trees/${sha}`,
    tree: all.slice((page - 1) * size, page * size).map((entry) => ({
      path: entry.path,
      mode: entry.mode,
      type: entry.type,
      size: entry.size ?? 0,
      sha: entry.sha,
      url: entry.type === 'commit' ? '' : `${api}/git/${entry.type}s/${entry.sha}`,
    })),
    truncated: page * size < all.length,
    page,
    total_count: all.length,
  };
}

function apiOf({ domain, links, repository }: RepositoryCall): string {
  return links.repository(domain.core, repository).api;
}
