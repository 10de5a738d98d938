import { git as runGit } from '../../git/run.js';
import { listTree, type TreeEntry } from '../../git/tree.js';
import { projectRoute, type GitlabRoute, type ProjectCall } from '../call.js';
import { GitlabError, notFound } from '../errors.js';
import { keysetPageOf } from '../pagination.js';
import { presentCommit } from '../present/commit.js';
import { commitActions } from './commit-actions.js';

const prefix = '/projects/{id}/repository';
const maxCommits = 1_000;

/** REST API, "Repositories": trees and blobs; "Commits": commits of a file, and commits with actions. */
export const fileRoutes: GitlabRoute[] = [
  projectRoute(`GET ${prefix}/tree`, 'contents:read', async (call) => {
    const entries = await treeOf(call);
    const keyset = call.query.get('pagination') === 'keyset';
    const page = keyset
      ? keysetPageOf(entries, call.query, call.url, ({ path }) => path)
      : call.page(entries);
    return { status: 200, headers: page.headers, body: page.items.map(presentEntry) };
  }),
  projectRoute(`GET ${prefix}/blobs/{sha}`, 'contents:read', async (call) => {
    const sha = call.parameter('sha');
    if (!/^[0-9a-f]{40}$/.test(sha)) throw notFound('Blob');
    const { code, stdout } = await runGit(call.git.path, ['cat-file', 'blob', sha], { allow: [128] });
    if (code !== 0) throw notFound('Blob');
    const body = { size: stdout.length, encoding: 'base64', content: stdout.toString('base64'), sha };
    return { status: 200, body };
  }),
  projectRoute(`GET ${prefix}/commits`, 'contents:read', async (call) => {
    const revision = call.query.get('ref_name') ?? call.repository.defaultBranch;
    const commit = await call.commitOf(revision);
    if (commit === undefined) throw notFound('Commit');
    const path = call.query.get('path');
    const commits = await call.git.log(['-n', `${maxCommits}`, commit], path === null ? [] : [path]);
    const { html } = call.links.project(call.domain.core, call.repository);
    return call.list(commits, (found) => presentCommit(html, found));
  }),
  projectRoute(`POST ${prefix}/commits`, 'contents:write', async (call) => {
    const commit = await commitActions(call);
    const { html } = call.links.project(call.domain.core, call.repository);
    return { status: 201, body: presentCommit(html, await call.git.commit(commit)) };
  }),
];

/** Returns the files and folders in the order of git. @throws GitlabError 404 for a missing commit or folder */
async function treeOf(call: ProjectCall): Promise<TreeEntry[]> {
  const { query, git, repository } = call;
  const commit = await call.commitOf(query.get('ref') ?? repository.defaultBranch);
  if (commit === undefined) throw notFound('Tree');
  const recursive = query.get('recursive') === 'true';
  const path = (query.get('path') ?? '').replace(/^\/+|\/+$/g, '');
  if (path === '') return listTree(git, commit, { recursive });
  const [entry] = await listTree(git, commit, { path });
  if (entry?.type !== 'tree') throw new GitlabError(404, '404 invalid revision or path Not Found');
  const entries = await listTree(git, entry.sha, { recursive });
  return entries.map((below) => ({ ...below, path: `${path}/${below.path}` }));
}

function presentEntry({ path, mode, type, sha }: TreeEntry) {
  return { id: sha, name: path.slice(path.lastIndexOf('/') + 1), type, path, mode };
}
