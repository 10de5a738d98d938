import * as z from 'zod';
import type { Commit } from '../../git/commit.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import type { Answer } from '../../rest/answer.js';
import { GithubError, notFound } from '../errors.js';
import { pageOf } from '../pagination.js';
import { presentCommit, presentFile } from '../present/commit.js';
import { commitOf, resolveCommit } from '../revision.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';

const mergeRequest = z.object({
  base: z.string(),
  head: z.string(),
  commit_message: z.string().optional(),
});

const repository = '/repos/{owner}/{repo}';
const maxCommits = 10_000;
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** REST API, "Commits" and "Merge a branch". */
export const commitRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${repository}/commits`, 'contents:read', async (call) => {
    const { query } = call;
    const tip = await resolveCommit(call, query.get('sha') ?? 'HEAD');
    if (tip === undefined) {
      const empty = Object.keys(call.repository.refs).length === 0;
      throw empty ? new GithubError(409, 'Git Repository is empty.') : notFound();
    }
    const options = ['since', 'until', 'author'].flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [`--${name}=${value}`];
    });
    const path = query.get('path');
    const paths = path === null || path === '' ? [] : [path];
    const commits = await call.git.log(['-n', String(maxCommits), ...options, tip], paths);
    return call.list(commits, presenter(call));
  }),
  repositoryRoute(`GET ${repository}/commits/{ref+}`, 'contents:read', async (call) => {
    const sha = await commitOf(call, call.parameter('ref'));
    if (/\bapplication\/vnd\.github\.(v3\.)?sha\b/.test(call.accept)) {
      return { status: 200, body: sha, headers: { 'content-type': 'application/vnd.github.sha' } };
    }
    return { status: 200, body: await withFiles(call, sha) };
  }),
  repositoryRoute(`GET ${repository}/compare/{basehead+}`, 'contents:read', compare),
  repositoryRoute(`POST ${repository}/merges`, 'contents:write', async (call) => {
    const { base, head, commit_message: message } = call.read(mergeRequest);
    if (call.repository.refs[`refs/heads/${base}`] === undefined) throw missing('Base');
    if ((await resolveCommit(call, head)) === undefined) throw missing('Head');
    const wanted = { base, head, message };
    const sha = await call.domain.merging.mergeBranch(call.repository, call.actor.account, wanted);
    if (sha === undefined) return { status: 204 };
    return { status: 201, body: presenter(call)(await call.git.commit(sha)) };
  }),
];

function missing(what: string): GithubError {
  return new GithubError(404, `${what} does not exist`);
}

function presenter({ domain, links, repository: inside }: RepositoryCall) {
  return (commit: Commit) => presentCommit(domain.core, links, inside, commit);
}

async function withFiles(call: RepositoryCall, sha: string) {
  const commit = await call.git.commit(sha);
  const files = await call.git.patches(commit.parents[0] ?? emptyTree, sha);
  const sum = (pick: 'additions' | 'deletions'): number =>
    files.reduce((total, file) => total + file[pick], 0);
  const [additions, deletions] = [sum('additions'), sum('deletions')];
  const { domain, links, repository: inside } = call;
  return {
    ...presenter(call)(commit),
    stats: { additions, deletions, total: additions + deletions },
    files: files.slice(0, 3000).map((file) => presentFile(domain.core, links, inside, sha, file)),
  } satisfies Schemas['commit'];
}

/** Compares `base...head`: the commits of head that base does not contain, and the diff from the merge base. */
async function compare(call: RepositoryCall): Promise<Answer> {
  const { domain, links, repository: inside, git } = call;
  const [baseName = '', headName = ''] = call.parameter('basehead').split('...');
  const withoutOwner = (name: string): string => name.replace(/^[^:/]+:/, '');
  const base = await resolveCommit(call, withoutOwner(baseName));
  const head = await resolveCommit(call, withoutOwner(headName));
  if (base === undefined || head === undefined) throw notFound();
  const start = await git.mergeBase(base, head);
  if (start === undefined) {
    throw new GithubError(404, `No common ancestor between ${baseName} and ${headName}.`);
  }
  const { ahead, behind } = await git.divergence(base, head);
  const commits = await git.between(base, head, { topological: true });
  // Without paging it returns the first 250 commits, instead of 30 like other lists.
  const { items, headers } = pageOf(commits, call.query, call.url, 250);
  const files = await git.patches(start, head);
  const { html, api } = links.repository(domain.core.owner(inside).login, inside.name);
  const basehead = `${baseName}...${headName}`;
  const body = {
    url: `${api}/compare/${basehead}`,
    html_url: `${html}/compare/${basehead}`,
    permalink_url: `${html}/compare/${base}...${head}`,
    diff_url: `${html}/compare/${basehead}.diff`,
    patch_url: `${html}/compare/${basehead}.patch`,
    base_commit: presenter(call)(await git.commit(base)),
    merge_base_commit: presenter(call)(await git.commit(start)),
    status: statusOf(ahead, behind),
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    commits: items.map(presenter(call)),
    files: files.slice(0, 300).map((file) => presentFile(domain.core, links, inside, head, file)),
  } satisfies Subset<Schemas['commit-comparison']>;
  return { status: 200, body, headers };
}

function statusOf(ahead: number, behind: number): 'diverged' | 'ahead' | 'behind' | 'identical' {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}
