import { isTyped } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { pullRequest, pullRequestCall } from '../http/call.js';
import { named, reviewersUnknown } from '../refusals.js';
import type { PullRequestComment } from '../scm.js';
import type { GiteaClient } from './client.js';

/** The review of a user who is requested or has reviewed; a review without a user belongs to a team. */
interface Review {
  user: { login: string } | null;
}

/** Reviewers and comments of pull requests (REST API, "repository": pulls; "issue": comments). */
export class GiteaDiscussion {
  readonly #client: GiteaClient;

  constructor(client: GiteaClient) {
    this.#client = client;
  }

  async ensureReviewers(id: number, logins: readonly string[], options?: CallOptions): Promise<boolean> {
    const reviews = await this.#client.list<Review[] | null, Review>(
      this.#client.path('pulls', id, 'reviews'),
      {},
      pullRequestCall('list', 'write', options, `reviews of ${pullRequest(id)}`),
      (list) => list,
    );
    const asked = new Set(reviews.map(({ user }) => user?.login.toLowerCase()));
    const missing = logins.filter((login) => !asked.has(login.toLowerCase()));
    if (missing.length === 0) return false;
    if (await this.#isTaken(id, missing, options)) return true;
    // One refused reviewer prevents the request for the others.
    const refused: string[] = [];
    for (const login of missing) if (!(await this.#isTaken(id, [login], options))) refused.push(login);
    if (refused.length === 0) return true;
    const what = `request reviews of ${pullRequest(id)} of ${this.#client.fullName}`;
    throw named(what, reviewersUnknown(refused));
  }

  async ensureComment(
    id: number,
    { marker, body }: PullRequestComment,
    options?: CallOptions,
  ): Promise<boolean> {
    const path = this.#client.path('issues', id, 'comments');
    const known = await this.#client.list<{ body: string }[] | null, { body: string }>(
      path,
      {},
      pullRequestCall('list', 'write', options, `comments of ${pullRequest(id)}`),
      (list) => list,
    );
    if (known.some((comment) => comment.body.includes(marker))) return false;
    const call = pullRequestCall('add', 'write', options, `a comment to ${pullRequest(id)}`);
    await this.#client.send('POST', path, call, { body });
    return true;
  }

  async #isTaken(id: number, reviewers: readonly string[], options?: CallOptions): Promise<boolean> {
    const call = pullRequestCall('request', 'write', options, `reviews of ${pullRequest(id)}`);
    try {
      await this.#client.send('POST', this.#client.path('pulls', id, 'requested_reviewers'), call, {
        reviewers,
      });
      return true;
    } catch (error) {
      // The user is unknown, or is not allowed to read.
      if (isTyped(error, 'NotFound') || isTyped(error, 'Invalid')) return false;
      throw error;
    }
  }
}
