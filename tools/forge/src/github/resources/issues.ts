import * as z from 'zod';
import type { PullRequest } from '../../domain/model.js';
import { found } from '../../domain/refusal.js';
import type { Answer } from '../../rest/answer.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import { nodeId } from '../links.js';
import { presentAccount } from '../present/account.js';
import { presentLabel } from '../present/pull.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';

const name = z.union([z.string(), z.object({ name: z.string() }).transform((label) => label.name)]);
/** A list of names, or `{labels: names}`. */
const labelsRequest = z.union([
  z.array(name).max(100),
  z.object({ labels: z.array(name).max(100) }).transform(({ labels }) => labels),
]);
const labelRequest = z.object({
  name: z.string().min(1).max(50),
  color: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/)
    .optional(),
  description: z.string().max(100).nullish(),
});
const commentRequest = z.object({ body: z.string().min(1).max(65_536) });

const repository = '/repos/{owner}/{repo}';
const issue = `${repository}/issues/{issue_number}`;
const read = 'issues|pull_requests:read';
const write = 'issues|pull_requests:write';

/** REST API, "Issues": labels and comments of pull requests. Other issues do not exist. */
export const issueRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${issue}`, read, (call) => ({ status: 200, body: presentIssue(call, pullOf(call)) })),
  repositoryRoute(`GET ${issue}/labels`, read, (call) =>
    call.list(call.domain.labels.of(call.repository, pullOf(call)), presenter(call)),
  ),
  repositoryRoute(`POST ${issue}/labels`, write, (call) => {
    const pull = pullOf(call);
    call.domain.labels.add(call.repository, call.actor.account, pull, call.read(labelsRequest));
    return labelsOf(call, pull);
  }),
  repositoryRoute(`PUT ${issue}/labels`, write, (call) => {
    const pull = pullOf(call);
    call.domain.labels.set(call.repository, call.actor.account, pull, call.read(labelsRequest));
    return labelsOf(call, pull);
  }),
  repositoryRoute(`DELETE ${issue}/labels`, write, (call) => {
    call.domain.labels.set(call.repository, call.actor.account, pullOf(call), []);
    return { status: 204 };
  }),
  repositoryRoute(`DELETE ${issue}/labels/{name}`, write, (call) => {
    const pull = pullOf(call);
    call.domain.labels.remove(call.repository, call.actor.account, pull, call.parameter('name'));
    return labelsOf(call, pull);
  }),
  repositoryRoute(`GET ${repository}/labels`, read, (call) =>
    call.list(call.repository.labels, presenter(call)),
  ),
  repositoryRoute(`POST ${repository}/labels`, write, (call) => {
    const { name: label, color, description = null } = call.read(labelRequest);
    const created = call.domain.labels.create(call.repository, {
      name: label,
      description,
      color: color?.toLowerCase(),
    });
    return { status: 201, body: presenter(call)(created) };
  }),
  repositoryRoute(`GET ${repository}/labels/{name}`, read, (call) => ({
    status: 200,
    body: presenter(call)(found(call.domain.labels.find(call.repository, call.parameter('name')))),
  })),
  repositoryRoute(`GET ${issue}/comments`, read, (call) => {
    const comments = call.domain.comments.of(call.repository, pullOf(call));
    return call.list(comments, (comment) => presentComment(call, comment));
  }),
  repositoryRoute(`POST ${issue}/comments`, write, (call) => {
    const { body } = call.read(commentRequest);
    const comment = call.domain.comments.create(call.repository, call.actor.account, pullOf(call), body);
    return { status: 201, body: presentComment(call, comment) };
  }),
  repositoryRoute(`PATCH ${repository}/issues/comments/{comment_id}`, write, (call) => {
    const id = call.number('comment_id');
    const comment = found(call.repository.comments.find((candidate) => candidate.id === id));
    comment.body = call.read(commentRequest).body;
    comment.updatedAt = call.domain.core.now();
    return { status: 200, body: presentComment(call, comment) };
  }),
];

function pullOf(call: RepositoryCall): PullRequest {
  return call.domain.pulls.get(call.repository, call.number('issue_number'));
}

function apiOf({ domain, links, repository: inside }: RepositoryCall): string {
  return links.repository(domain.core.owner(inside).login, inside.name).api;
}

function presenter(call: RepositoryCall) {
  return (label: Parameters<typeof presentLabel>[1]) => presentLabel(apiOf(call), label);
}

function labelsOf(call: RepositoryCall, pull: PullRequest): Answer {
  return { status: 200, body: call.domain.labels.of(call.repository, pull).map(presenter(call)) };
}

function presentComment(call: RepositoryCall, comment: RepositoryCall['repository']['comments'][number]) {
  const { domain, links, repository: inside } = call;
  const { html, api } = links.repository(domain.core.owner(inside).login, inside.name);
  return {
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    url: `${api}/issues/comments/${comment.id}`,
    html_url: `${html}/pull/${comment.issueNumber}#issuecomment-${comment.id}`,
    issue_url: `${api}/issues/${comment.issueNumber}`,
    body: comment.body,
    user: presentAccount(links, domain.core.account(comment.authorId)),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: 'NONE' as const,
  } satisfies Subset<Schemas['issue-comment']>;
}

function presentIssue(call: RepositoryCall, pull: PullRequest) {
  const { domain, links, repository: inside } = call;
  const { html, api } = links.repository(domain.core.owner(inside).login, inside.name);
  const closer = pull.closedById;
  return {
    id: pull.id,
    node_id: nodeId('PullRequest', pull.id),
    url: `${api}/issues/${pull.number}`,
    repository_url: api,
    labels_url: `${api}/issues/${pull.number}/labels{/name}`,
    comments_url: `${api}/issues/${pull.number}/comments`,
    html_url: `${html}/pull/${pull.number}`,
    number: pull.number,
    state: pull.state,
    title: pull.title,
    body: pull.body,
    user: presentAccount(links, domain.core.account(pull.authorId)),
    labels: domain.labels.of(inside, pull).map(presenter(call)),
    locked: false,
    draft: pull.draft,
    comments: inside.comments.filter(({ issueNumber }) => issueNumber === pull.number).length,
    pull_request: {
      url: `${api}/pulls/${pull.number}`,
      html_url: `${html}/pull/${pull.number}`,
      merged_at: pull.merge?.at ?? null,
    },
    closed_at: pull.closedAt ?? null,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_by: closer === undefined ? null : presentAccount(links, domain.core.account(closer)),
    author_association: 'NONE' as const,
  } satisfies Subset<Schemas['issue']>;
}
