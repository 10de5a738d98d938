import * as z from 'zod';
import { roleOf } from '../../domain/access.js';
import type { Account, PullRequest, Review } from '../../domain/model.js';
import type { Subset } from '../../rest/subset.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import { unprocessable } from '../errors.js';
import { nodeId } from '../links.js';
import { presentAccount } from '../present/account.js';
import { presentPull } from '../present/pull.js';
import type { Schemas } from '../schema.js';
import { pullOf } from './pulls.js';

const reviewersRequest = z.object({
  reviewers: z.array(z.string()).max(100).default([]),
  team_reviewers: z.array(z.string()).max(100).default([]),
});
const reviewRequest = z.object({
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
  body: z.string().max(65_536).default(''),
});
const states = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

const one = '/repos/{owner}/{repo}/pulls/{pull_number}';

/** REST API, "Review requests" and "Pull request reviews". There are no teams. */
export const reviewRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${one}/requested_reviewers`, 'pull_requests:read', (call) => {
    const { requested_reviewers: users, requested_teams: teams } = present(call, pullOf(call));
    return { status: 200, body: { users, teams } };
  }),
  repositoryRoute(`POST ${one}/requested_reviewers`, 'pull_requests:write', (call) => {
    const pull = pullOf(call);
    const { reviewers, team_reviewers: teams } = call.read(reviewersRequest);
    if (teams.length > 0) throw notCollaborators(call);
    const accounts = reviewers.map((login) => reviewerOf(call, pull, login));
    call.domain.pulls.requestReview(call.repository, call.actor.account, pull, accounts);
    return { status: 201, body: present(call, pull) };
  }),
  repositoryRoute(`GET ${one}/reviews`, 'pull_requests:read', (call) =>
    call.list(pullOf(call).reviews ?? [], (review) => presentReview(call, pullOf(call), review)),
  ),
  repositoryRoute(`POST ${one}/reviews`, 'pull_requests:write', (call) => {
    const pull = pullOf(call);
    const { event, body } = call.read(reviewRequest);
    const author = call.actor.account;
    if (author.id === pull.authorId && event !== 'COMMENT') {
      throw unprocessable('Unprocessable Entity: Can not approve or reject your own pull request');
    }
    const review = call.domain.pulls.review(call.repository, pull, author, { state: states[event], body });
    return { status: 200, body: presentReview(call, pull, review) };
  }),
];

/**
 * Returns the account of a reviewer. A single invalid reviewer makes GitHub refuse all of them, without naming the
 * reviewer. @throws GithubError 422
 */
function reviewerOf(call: RepositoryCall, pull: PullRequest, login: string): Account {
  const account = call.domain.accounts.find(login);
  if (account?.id === pull.authorId) {
    throw unprocessable('Review cannot be requested from pull request author.');
  }
  const collaborates = account?.type === 'User' && roleOf({ account }, call.repository) !== undefined;
  if (account === undefined || !collaborates) throw notCollaborators(call);
  return account;
}

function notCollaborators({ domain, repository }: RepositoryCall) {
  const fullName = `${domain.core.owner(repository).login}/${repository.name}`;
  return unprocessable(
    `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${fullName} repository.`,
  );
}

function present({ domain, links, repository }: RepositoryCall, pull: PullRequest) {
  return presentPull(domain, links, repository, pull);
}

function presentReview(call: RepositoryCall, pull: PullRequest, review: Review) {
  const { domain, links, repository } = call;
  const { html, api } = links.repository(domain.core.owner(repository).login, repository.name);
  const page = `${html}/pull/${pull.number}#pullrequestreview-${review.id}`;
  const pullUrl = `${api}/pulls/${pull.number}`;
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: presentAccount(links, domain.core.account(review.authorId)),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pullUrl,
    _links: { html: { href: page }, pull_request: { href: pullUrl } },
    submitted_at: review.submittedAt,
    commit_id: review.sha,
    author_association: 'NONE' as const,
  } satisfies Subset<Schemas['pull-request-review']>;
}
