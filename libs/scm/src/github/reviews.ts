import { isTyped } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { pullRequest, pullRequestCall } from '../http/call.js';
import { reviewersUnknown } from '../refusals.js';
import type { PullRequestComment } from '../scm.js';
import type { RepositoryClient } from './client.js';

/** Reviewers and comments of pull requests (REST API, "Review requests" and "Issue comments"). */
export class GithubReviews {
  readonly #client: RepositoryClient;

  constructor(client: RepositoryClient) {
    this.#client = client;
  }

  /**
   * Requests reviewers. A login with a slash is a team of the owner. The author, and users who have reviewed since, are
   * skipped. GitHub does not report for which team a user reviewed, so a team is requested again.
   */
  async ensureReviewers(id: number, logins: readonly string[], options?: CallOptions): Promise<boolean> {
    const left = new Map(logins.map((login) => [login.toLowerCase(), login]));
    for (const known of await this.#asked(id, options)) left.delete(known);
    if (left.size > 0) for (const known of await this.#reviewed(id, options)) left.delete(known);
    const missing = [...left.values()];
    if (missing.length === 0) return false;
    if (await this.#ask(id, missing, options)) return true;
    // GitHub refuses all of them because of one, and does not report which.
    const unknown: string[] = [];
    for (const login of missing) {
      if (missing.length === 1 || !(await this.#ask(id, [login], options))) unknown.push(login);
    }
    if (unknown.length === 0) return true;
    const call = pullRequestCall('request', 'write', options, `reviews of ${pullRequest(id)}`);
    throw this.#client.named(call, reviewersUnknown(unknown));
  }

  async ensureComment(id: number, comment: PullRequestComment, options?: CallOptions): Promise<boolean> {
    const { marker, body } = comment;
    const path = { ...this.#path(), issue_number: id };
    const comments = await this.#client.list(
      'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      path,
      pullRequestCall('list', 'write', options, `comments of ${pullRequest(id)}`),
      (page) => page,
      (page) => page.map((written) => written.body ?? ''),
    );
    if (comments.some((text) => text.includes(marker))) return false;
    await this.#client.send(
      'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      { ...path, body },
      pullRequestCall('add', 'write', options, `a comment to ${pullRequest(id)}`),
    );
    return true;
  }

  /** Returns the author and the requested reviewers, in lower case. */
  async #asked(id: number, options?: CallOptions): Promise<string[]> {
    const { owner } = this.#client.repository;
    const { user, requested_reviewers, requested_teams } = await this.#client.send(
      'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      { ...this.#path(), pull_number: id },
      pullRequestCall('get', 'write', options, `reviewers of ${pullRequest(id)}`),
    );
    const users = (requested_reviewers ?? []).map(({ login }) => login);
    const teams = (requested_teams ?? []).map(({ slug }) => `${owner}/${slug}`);
    return [user.login, ...users, ...teams].map((login) => login.toLowerCase());
  }

  /** Returns the users who have reviewed, in lower case; GitHub no longer lists them as requested. */
  #reviewed(id: number, options?: CallOptions): Promise<string[]> {
    return this.#client.list(
      'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      { ...this.#path(), pull_number: id },
      pullRequestCall('list', 'write', options, `reviews of ${pullRequest(id)}`),
      (reviews) => reviews,
      (reviews) => reviews.flatMap(({ user }) => user?.login.toLowerCase() ?? []),
    );
  }

  /** Requests reviewers. Returns false when GitHub refuses one of them. */
  async #ask(id: number, logins: readonly string[], options?: CallOptions): Promise<boolean> {
    const teams = logins.filter((login) => login.includes('/'));
    const prefix = `${this.#client.repository.owner.toLowerCase()}/`;
    if (teams.some((team) => !team.toLowerCase().startsWith(prefix))) return false;
    try {
      await this.#client.send(
        'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
        {
          ...this.#path(),
          pull_number: id,
          reviewers: logins.filter((login) => !login.includes('/')),
          team_reviewers: teams.map((team) => team.slice(prefix.length)),
        },
        pullRequestCall('request', 'write', options, `reviews of ${pullRequest(id)}`),
      );
      return true;
    } catch (error) {
      if (isTyped(error, 'Invalid') && refusedReviewer.test(error.message)) return false;
      throw error;
    }
  }

  #path(): { owner: string; repo: string } {
    const { owner, name } = this.#client.repository;
    return { owner, repo: name };
  }
}

/** Returns whether GitHub refuses a reviewer: a user who may not review, or a team that does not exist. */
const refusedReviewer = /only be requested from collaborators|could not resolve|from pull request author/i;
