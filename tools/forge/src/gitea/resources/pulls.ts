import * as z from 'zod';
import type { PullRequest } from '../../domain/model.js';
import type { Answer } from '../../rest/answer.js';
import { repositoryRoute, type GiteaRoute, type RepositoryCall } from '../call.js';
import { notFound } from '../errors.js';
import { presentPull, presentUser } from '../present/present.js';

const createRequest = z.object({
  head: z.string().min(1),
  base: z.string().min(1),
  title: z.string().min(1),
  body: z.string().optional(),
});
const editRequest = z.object({
  title: z.string().optional(),
  body: z.string().optional(),
  base: z.string().optional(),
  state: z.enum(['open', 'closed']).optional(),
});
const mergeRequest = z.object({
  Do: z.enum(['merge', 'rebase', 'squash']),
  MergeTitleField: z.string().optional(),
  MergeMessageField: z.string().optional(),
  head_commit_id: z.string().optional(),
});

/** REST API, "repository": pulls. */
export const pullRoutes: GiteaRoute[] = [
  repositoryRoute('GET /pulls', 'pull_requests:read', (call) =>
    call.list(select(call), (pull) => presentPull(call.domain, call.links, call.repository, pull)),
  ),
  repositoryRoute('POST /pulls', 'pull_requests:write', async (call) => {
    const { head, base, title, body = '' } = call.read(createRequest);
    const draft = /^(WIP:|\[WIP\])/i.test(title);
    const wanted = { head, base, title, body, draft };
    const pull = await call.domain.pulls.create(call.repository, call.actor.account, wanted);
    return show(call, pull, 201);
  }),
  repositoryRoute('GET /pulls/{index}', 'pull_requests:read', (call) => show(call, pullOf(call))),
  repositoryRoute('PATCH /pulls/{index}', 'pull_requests:write', async (call) => {
    const pull = pullOf(call);
    await call.domain.pulls.edit(call.repository, call.actor.account, pull, call.read(editRequest));
    return show(call, pull, 201);
  }),
  repositoryRoute('POST /pulls/{index}/merge', 'contents:write', async (call) => {
    const pull = pullOf(call);
    const merge = call.read(mergeRequest);
    if (pull.state !== 'open') throw notFound();
    await call.domain.merging.merge(call.repository, call.actor.account, pull, {
      method: merge.Do,
      sha: merge.head_commit_id,
      title: merge.MergeTitleField,
      message: merge.MergeMessageField,
    });
    return { status: 200 };
  }),
  repositoryRoute('GET /issues/{index}/timeline', 'issues:read', (call) => {
    const pull = pullOf(call);
    const { closedAt, closedById } = pull;
    const since = call.query.get('since');
    const shown = closedAt !== undefined && (since === null || Date.parse(since) <= Date.parse(closedAt));
    const closes = shown && closedById !== undefined ? [{ at: closedAt, by: closedById }] : [];
    return call.list(closes, ({ at, by }) => ({
      id: pull.id,
      type: pull.merge === undefined ? 'close' : 'merge_pull',
      user: presentUser(call.links, call.domain.core.account(by)),
      created_at: at,
    }));
  }),
];

/** @throws Refusal `NotFound`. */
export function pullOf(call: RepositoryCall): PullRequest {
  return call.domain.pulls.get(call.repository, call.number('index'));
}

async function show(call: RepositoryCall, pull: PullRequest, status = 200): Promise<Answer> {
  return { status, body: await presentPull(call.domain, call.links, call.repository, pull) };
}

/** Returns the requested pull requests, newest first by default. There is no filter for branches. */
function select({ query, repository }: RepositoryCall): PullRequest[] {
  const state = query.get('state') ?? 'open';
  const selected = repository.pulls
    .filter((pull) => state === 'all' || pull.state === state)
    .sort((a, b) => a.number - b.number);
  return query.get('sort') === 'oldest' ? selected : selected.reverse();
}
