import * as z from 'zod';
import { startOf } from '../../domain/range.js';
import type { PullRequest } from '../../domain/model.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import type { Answer } from '../../rest/answer.js';
import { GithubError } from '../errors.js';
import { presentCommit, presentFile } from '../present/commit.js';
import { presentFullPull, presentPull } from '../present/pull.js';

const createRequest = z.object({
  title: z.string().min(1).max(256),
  head: z.string(),
  base: z.string(),
  body: z.string().max(65_536).nullish(),
  draft: z.boolean().optional(),
});

const updateRequest = z.object({
  title: z.string().min(1).max(256).optional(),
  body: z.string().max(65_536).nullish(),
  base: z.string().optional(),
  state: z.enum(['open', 'closed']).optional(),
});

const mergeRequest = z.object({
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
  sha: z.string().optional(),
  merge_method: z.enum(['merge', 'squash', 'rebase']).optional(),
});

const pulls = '/repos/{owner}/{repo}/pulls';
const one = `${pulls}/{pull_number}`;

/** REST API, "Pulls". */
export const pullRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${pulls}`, 'pull_requests:read', (call) =>
    call.list(select(call), (pull) => presentPull(call.domain, call.links, call.repository, pull)),
  ),
  repositoryRoute(`POST ${pulls}`, 'pull_requests:write', async (call) => {
    const { title, head, base, body = null, draft = false } = call.read(createRequest);
    const wanted = { title, head: branchOf(call, head), base, body, draft };
    const pull = await call.domain.pulls.create(call.repository, call.actor.account, wanted);
    return { ...(await full(call, pull)), status: 201 };
  }),
  repositoryRoute(`GET ${one}`, 'pull_requests:read', async (call) => {
    const pull = pullOf(call);
    if (/\bapplication\/vnd\.github\.(v3\.)?diff\b/.test(call.accept)) return diff(call, pull);
    return full(call, pull);
  }),
  repositoryRoute(`PATCH ${one}`, 'pull_requests:write', async (call) => {
    const pull = pullOf(call);
    await call.domain.pulls.edit(call.repository, call.actor.account, pull, call.read(updateRequest));
    return full(call, pull);
  }),
  repositoryRoute(`GET ${one}/merge`, 'pull_requests:read', (call) => {
    if (pullOf(call).merge === undefined) throw new GithubError(404, 'Not Found');
    return { status: 204 };
  }),
  repositoryRoute(`PUT ${one}/merge`, 'contents:write', async (call) => {
    const pull = pullOf(call);
    const { commit_title, commit_message, sha, merge_method = 'merge' } = call.read(mergeRequest);
    const merged = await call.domain.merging.merge(call.repository, call.actor.account, pull, {
      method: merge_method,
      sha,
      title: commit_title,
      message: commit_message,
    });
    return {
      status: 200,
      body: { sha: merged, merged: true, message: 'Pull Request successfully merged' },
    };
  }),
  repositoryRoute(`GET ${one}/commits`, 'pull_requests:read', async (call) => {
    const { domain, links, repository } = call;
    const pull = pullOf(call);
    const from = await startOf(domain.core, repository, pull);
    const commits = await call.git.between(from, pull.head.sha, { topological: true });
    return call.list(commits.slice(0, 250), (commit) =>
      presentCommit(domain.core, links, repository, commit),
    );
  }),
  repositoryRoute(`GET ${one}/files`, 'pull_requests:read', async (call) => {
    const { domain, links, repository } = call;
    const pull = pullOf(call);
    const from = await startOf(domain.core, repository, pull);
    const files = await call.git.patches(from, pull.head.sha);
    return call.list(files.slice(0, 3000), (file) =>
      presentFile(domain.core, links, repository, pull.head.sha, file),
    );
  }),
];

export function pullOf(call: RepositoryCall): PullRequest {
  return call.domain.pulls.get(call.repository, call.number('pull_number'));
}

async function full(call: RepositoryCall, pull: PullRequest): Promise<Answer> {
  return { status: 200, body: await presentFullPull(call.domain, call.links, call.repository, pull) };
}

async function diff(call: RepositoryCall, pull: PullRequest): Promise<Answer> {
  const from = await startOf(call.domain.core, call.repository, pull);
  const text = await call.git.run(['diff', '--no-color', '--no-ext-diff', '-M', from, pull.head.sha]);
  return {
    status: 200,
    body: `${text}\n`,
    headers: { 'content-type': 'application/vnd.github.diff; charset=utf-8' },
  };
}

/** Returns the branch that `owner:branch` or `branch` names; there are no forks. */
function branchOf(call: RepositoryCall, head: string): string {
  const owner = call.domain.core.owner(call.repository).login;
  const prefix = `${owner.toLowerCase()}:`;
  return head.toLowerCase().startsWith(prefix) ? head.slice(prefix.length) : head;
}

/** Returns the requested pull requests. A `head` without an owner is not a filter, as on GitHub. */
function select(call: RepositoryCall): PullRequest[] {
  const { query, repository } = call;
  const state = query.get('state') ?? 'open';
  const head = query.get('head');
  const base = query.get('base');
  const owner = call.domain.core.owner(repository).login.toLowerCase();
  const selected = repository.pulls.filter((pull) => {
    if (state !== 'all' && pull.state !== state) return false;
    if (base !== null && pull.base.ref !== base) return false;
    return (
      head === null || !head.includes(':') || head.toLowerCase() === `${owner}:${pull.head.ref}`.toLowerCase()
    );
  });
  const key = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const sort = query.get('sort') ?? 'created';
  const ascending =
    query.get('direction') === 'asc' || (query.get('direction') === null && sort !== 'created');
  selected.sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : a.number - b.number));
  return ascending ? selected : selected.reverse();
}
