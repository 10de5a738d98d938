import * as z from 'zod';
import { roleOf } from '../../domain/access.js';
import type { Account, Comment, Review } from '../../domain/model.js';
import { repositoryRoute, type GiteaRoute, type RepositoryCall } from '../call.js';
import { GiteaError } from '../errors.js';
import { presentUser } from '../present/present.js';
import { pullOf } from './pulls.js';

const commentRequest = z.object({ body: z.string().min(1) });
const reviewRequest = z.object({ reviewers: z.array(z.string()).max(100).default([]) });
const states = {
  APPROVED: 'APPROVED',
  CHANGES_REQUESTED: 'REQUEST_CHANGES',
  COMMENTED: 'COMMENT',
} as const satisfies Record<Review['state'], string>;
const comments = '/issues/{index}/comments';

/** REST API, "repository": requested reviewers; "issue": comments. */
export const discussionRoutes: GiteaRoute[] = [
  repositoryRoute('GET /pulls/{index}/reviews', 'pull_requests:read', (call) => {
    const { reviews = [], reviewerIds } = pullOf(call);
    const given = reviews.map(({ authorId, state }) => ({ id: authorId, state: states[state] }));
    const asked = reviewerIds.map((id) => ({ id, state: 'REQUEST_REVIEW' }));
    return call.list([...given, ...asked], ({ id, state }) => presentReview(call, id, state));
  }),
  repositoryRoute('POST /pulls/{index}/requested_reviewers', 'pull_requests:write', (call) => {
    const pull = pullOf(call);
    const accounts = call.read(reviewRequest).reviewers.map((login) => knownAs(call, login));
    const added: number[] = [];
    // Reviewers before a refused one have been requested.
    for (const account of accounts) {
      refuseReviewer(call, account, pull.authorId);
      if (!pull.reviewerIds.includes(account.id)) added.push(account.id);
      call.domain.pulls.requestReview(call.repository, call.actor.account, pull, [account]);
    }
    return { status: 201, body: added.map((id) => presentReview(call, id)) };
  }),
  // Gitea does not page this list.
  repositoryRoute(`GET ${comments}`, 'issues:read', (call) => {
    const all = call.domain.comments.of(call.repository, pullOf(call));
    const headers = { 'x-total-count': String(all.length) };
    return { status: 200, headers, body: all.map((comment) => presentComment(call, comment)) };
  }),
  repositoryRoute(`POST ${comments}`, 'issues:read', (call) => {
    const { body } = call.read(commentRequest);
    const comment = call.domain.comments.create(call.repository, call.actor.account, pullOf(call), body);
    return { status: 201, body: presentComment(call, comment) };
  }),
];

function knownAs({ domain }: RepositoryCall, login: string): Account {
  const account = domain.accounts.find(login);
  if (account === undefined) throw new GiteaError(404, `User '${login}' not exist`);
  return account;
}

function refuseReviewer({ repository }: RepositoryCall, account: Account, authorId: number): void {
  const ids = `[user_id: ${account.id}, repo_id: ${repository.id}]`;
  if (account.type === 'Organization') {
    throw new GiteaError(422, `Organization can't be added as reviewer ${ids}`);
  }
  if (account.id === authorId) throw new GiteaError(422, `poster of pr can't be reviewer ${ids}`);
  if (roleOf({ account }, repository) === undefined) throw new GiteaError(422, `Reviewer can't read ${ids}`);
}

function presentReview({ domain, links }: RepositoryCall, reviewerId: number, state = 'REQUEST_REVIEW') {
  const user = presentUser(links, domain.core.account(reviewerId));
  return {
    id: reviewerId,
    user,
    team: null,
    state,
    body: '',
    stale: false,
    official: false,
  };
}

function presentComment({ domain, links, repository }: RepositoryCall, comment: Comment) {
  const { html } = links.repository(domain.core, repository);
  return {
    id: comment.id,
    html_url: `${html}/pulls/${comment.issueNumber}#issuecomment-${comment.id}`,
    user: presentUser(links, domain.core.account(comment.authorId)),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  };
}
