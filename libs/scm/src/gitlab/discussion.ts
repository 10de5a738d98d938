import type { CallOptions } from '../call-options.js';
import { pullRequestCall } from '../http/call.js';
import { named, reviewersUnknown } from '../refusals.js';
import type { PullRequestComment } from '../scm.js';
import type { ProjectClient } from './client.js';
import { fromGitlab, toGitlab } from './description.js';

interface User {
  id: number;
  username: string;
}

/** Reviewers and comments of merge requests (REST API, "Merge requests", "Notes", "Users"). */
export class GitlabDiscussion {
  readonly #client: ProjectClient;

  constructor(client: ProjectClient) {
    this.#client = client;
  }

  /**
   * Requests reviewers. GitLab replaces the reviewers with those that are sent, and silently omits users that it does
   * not accept.
   */
  async ensureReviewers(id: number, logins: readonly string[], options?: CallOptions): Promise<boolean> {
    const { reviewers } = await this.#client.get(
      (api) => api.MergeRequests.show(this.#client.id, id),
      pullRequestCall('get', 'write', options, `reviewers of merge request ${id}`),
    );
    const present: User[] = reviewers ?? [];
    const missing = logins.filter((login) => !isAmong(present, login));
    if (missing.length === 0) return false;
    const found: User[] = [];
    for (const login of missing) found.push(...(await this.#users(login, options)));
    const taken = found.length === 0 ? present : await this.#assign(id, [...present, ...found], options);
    const refused = missing.filter((login) => !isAmong(taken, login));
    if (refused.length === 0) return true;
    const what = `request reviews of merge request ${id} of ${this.#client.fullName}`;
    throw named(what, reviewersUnknown(refused));
  }

  /** Ensures a comment. GitLab would also execute lines of a note that begin with a slash, so they are escaped. */
  async ensureComment(id: number, comment: PullRequestComment, options?: CallOptions): Promise<boolean> {
    const { marker, body } = comment;
    const known = await this.#client.list(
      (paging) => (api) =>
        api.MergeRequestNotes.all(this.#client.id, id, { orderBy: 'created_at', sort: 'asc', ...paging }),
      pullRequestCall('list', 'write', options, `comments of merge request ${id}`),
      (notes) => notes.map((note) => (note.system ? '' : fromGitlab(note.body))),
    );
    if (known.some((text) => text.includes(marker))) return false;
    await this.#client.send(
      (api) => api.MergeRequestNotes.create(this.#client.id, id, toGitlab(body)),
      pullRequestCall('add', 'write', options, `a comment to merge request ${id}`),
    );
    return true;
  }

  async #users(username: string, options?: CallOptions): Promise<User[]> {
    return this.#client.get(
      (api) => api.Users.all({ username, perPage: 1, page: 1 }),
      pullRequestCall('get', 'write', options, `user ${username}`),
    );
  }

  async #assign(id: number, desired: readonly User[], options?: CallOptions): Promise<User[]> {
    const reviewerIds = desired.map((user) => user.id);
    const { reviewers } = await this.#client.send(
      (api) => api.MergeRequests.edit(this.#client.id, id, { reviewerIds }),
      pullRequestCall('request', 'write', options, `reviews of merge request ${id}`),
    );
    return reviewers ?? [];
  }
}

function isAmong(users: readonly User[], login: string): boolean {
  return users.some(({ username }) => username.toLowerCase() === login.toLowerCase());
}
