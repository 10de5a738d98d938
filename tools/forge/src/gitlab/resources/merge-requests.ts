import * as z from 'zod';
import { roleOf } from '../../domain/access.js';
import type { Account, PullRequest } from '../../domain/model.js';
import { sameName } from '../../domain/core.js';
import type { Answer } from '../../rest/answer.js';
import { projectRoute, type GitlabRoute, type ProjectCall } from '../call.js';
import { GitlabError } from '../errors.js';
import { presentCommit } from '../present/commit.js';
import {
  detailedMergeStatus,
  presentFullMergeRequest,
  presentMergeRequest,
  stateOf,
} from '../present/merge-request.js';
import { startOf } from '../../domain/range.js';
import { flag } from '../schema.js';

const title = z.string().min(1);
const labels = z.union([z.string().transform((text) => text.split(',')), z.array(z.string())]);
const createRequest = z.object({
  source_branch: z.string().min(1),
  target_branch: z.string().min(1),
  title,
  description: z.string().max(1_048_576).optional(),
  labels: labels.optional(),
});
const updateRequest = z.object({
  title: title.optional(),
  description: z.string().max(1_048_576).optional(),
  target_branch: z.string().min(1).optional(),
  state_event: z.enum(['close', 'reopen']).optional(),
  labels: labels.optional(),
  add_labels: labels.optional(),
  remove_labels: labels.optional(),
  reviewer_ids: z.array(z.int()).max(100).optional(),
});
const mergeRequest = z.object({
  merge_commit_message: z.string().optional(),
  squash_commit_message: z.string().optional(),
  squash: flag.optional(),
  should_remove_source_branch: flag.optional(),
  sha: z.string().optional(),
});

const all = '/projects/{id}/merge_requests';
const one = `${all}/{iid}`;

/** REST API, "Merge requests". */
export const mergeRequestRoutes: GitlabRoute[] = [
  projectRoute(`GET ${all}`, 'pull_requests:read', (call) =>
    call.list(select(call), (pull) => presentMergeRequest(call.domain, call.links, call.repository, pull)),
  ),
  projectRoute(`POST ${all}`, 'pull_requests:write', async (call) => {
    const wanted = call.read(createRequest);
    refuseLongTitle(wanted.title);
    const { domain, repository, actor } = call;
    const pull = await domain.pulls.create(repository, actor.account, {
      head: wanted.source_branch,
      base: wanted.target_branch,
      title: wanted.title,
      body: wanted.description ?? null,
      draft: saysDraft(wanted.title),
    });
    domain.labels.add(repository, actor.account, pull, named(wanted.labels));
    return { ...(await full(call, pull)), status: 201 };
  }),
  projectRoute(`GET ${one}`, 'pull_requests:read', (call) => full(call, pullOf(call))),
  projectRoute(`PUT ${one}`, 'pull_requests:write', async (call) => {
    const pull = pullOf(call);
    await update(call, pull);
    return full(call, pull);
  }),
  projectRoute(`PUT ${one}/merge`, 'contents:write', async (call) => {
    const pull = pullOf(call);
    await merge(call, pull);
    return full(call, pull);
  }),
  projectRoute(`POST ${one}/approve`, 'pull_requests:read', async (call) => {
    const pull = pullOf(call);
    call.domain.pulls.review(call.repository, pull, call.actor.account, { state: 'APPROVED', body: '' });
    return { ...(await full(call, pull)), status: 201 };
  }),
  projectRoute(`GET ${one}/commits`, 'pull_requests:read', async (call) => {
    const { domain, links, repository } = call;
    const pull = pullOf(call);
    const from = await startOf(domain.core, repository, pull);
    const { html } = links.project(domain.core, repository);
    return call.list(await call.git.log([`${from}..${pull.head.sha}`]), (commit) =>
      presentCommit(html, commit),
    );
  }),
];

async function update(call: ProjectCall, pull: PullRequest): Promise<void> {
  const { domain, repository } = call;
  const { account } = call.actor;
  const wanted = call.read(updateRequest);
  if (wanted.title !== undefined) {
    refuseLongTitle(wanted.title);
    pull.draft = saysDraft(wanted.title);
  }
  await domain.pulls.edit(repository, account, pull, {
    title: wanted.title,
    body: wanted.description,
    base: wanted.target_branch,
    state: wanted.state_event && (wanted.state_event === 'close' ? 'closed' : 'open'),
  });
  if (wanted.labels !== undefined) domain.labels.set(repository, account, pull, named(wanted.labels));
  domain.labels.add(repository, account, pull, named(wanted.add_labels));
  for (const name of named(wanted.remove_labels)) {
    const carried = pull.labels.find((label) => sameName(label, name));
    if (carried !== undefined) domain.labels.remove(repository, account, pull, carried);
  }
  if (wanted.reviewer_ids !== undefined) {
    domain.pulls.setReviewers(repository, account, pull, reviewersOf(call, wanted.reviewer_ids));
  }
}

/** Returns the users with these ids. Users without read access to the project are omitted without an error. */
function reviewersOf({ domain, repository }: ProjectCall, ids: readonly number[]): Account[] {
  return domain.core.state.accounts.filter(
    (account) => ids.includes(account.id) && roleOf({ account }, repository) !== undefined,
  );
}

/**
 * Merges a merge request after the checks without git (405), the check for conflicts (422) and the check of the head
 * (409), in this order.
 */
async function merge(call: ProjectCall, pull: PullRequest): Promise<void> {
  const { domain, repository, actor } = call;
  const wanted = call.read(mergeRequest);
  const status = await detailedMergeStatus(domain, repository, pull);
  if (status === 'conflict') throw new GitlabError(422, 'Branch cannot be merged');
  if (status !== 'mergeable') throw new GitlabError(405, '405 Method Not Allowed');
  if (wanted.sha !== undefined && wanted.sha !== pull.head.sha) {
    throw new GitlabError(409, `SHA does not match HEAD of source branch: ${pull.head.sha}`);
  }
  const squash = squashes(repository.mergeMethods, wanted.squash ?? false);
  const text =
    (squash ? wanted.squash_commit_message : wanted.merge_commit_message) ?? defaultMessage(call, pull);
  const [subject = '', ...body] = text.split('\n');
  const { ref, sha } = pull.head;
  await domain.merging.merge(repository, actor.account, pull, {
    method: squash ? 'squash' : 'merge',
    title: subject,
    message: body.join('\n').trim(),
    committer: actor.account,
  });
  if (wanted.should_remove_source_branch === true) {
    await call.git.updateRef(`refs/heads/${ref}`, undefined, sha);
  }
}

/** Returns whether to squash. A mandatory setting of the project overrides the request of the caller. */
function squashes(methods: readonly string[], isRequested: boolean): boolean {
  if (!methods.includes('squash')) return false;
  return isRequested || !methods.includes('merge');
}

function defaultMessage({ domain, links, repository }: ProjectCall, pull: PullRequest): string {
  const { path } = links.project(domain.core, repository);
  const subject = `Merge branch '${pull.head.ref}' into '${pull.base.ref}'`;
  return `${subject}\n\n${pull.title}\n\nSee merge request ${path}!${pull.number}`;
}

/** @throws Refusal `NotFound`. */
export function pullOf(call: ProjectCall): PullRequest {
  return call.domain.pulls.get(call.repository, call.number('iid'));
}

async function full(call: ProjectCall, pull: PullRequest): Promise<Answer> {
  return {
    status: 200,
    body: await presentFullMergeRequest(call.domain, call.links, call.repository, pull),
  };
}

function saysDraft(text: string): boolean {
  return /^\s*(\[draft\]|\(draft\)|draft:)/i.test(text);
}

function refuseLongTitle(text: string): void {
  if (text.length > 255) throw new GitlabError(400, { title: ['is too long (maximum is 255 characters)'] });
}

function named(names: readonly string[] | undefined): string[] {
  return (names ?? []).map((name) => name.trim()).filter((name) => name !== '');
}

function select({ query, repository }: ProjectCall): PullRequest[] {
  const state = query.get('state') ?? 'all';
  const head = query.get('source_branch');
  const base = query.get('target_branch');
  const iids = query.getAll('iids[]').map(Number);
  const selected = repository.pulls.filter(
    (pull) =>
      (state === 'all' || stateOf(pull) === state) &&
      (head === null || pull.head.ref === head) &&
      (base === null || pull.base.ref === base) &&
      (iids.length === 0 || iids.includes(pull.number)),
  );
  const key = query.get('order_by') === 'updated_at' ? 'updatedAt' : 'createdAt';
  selected.sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : a.number - b.number));
  return query.get('sort') === 'asc' ? selected : selected.reverse();
}
