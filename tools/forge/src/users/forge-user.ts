import type { Forge } from '../forge.js';
import type { UserHandle } from '../provisioning.js';
import { request, type Dispatcher } from 'undici';

/** A pull request in the response of the forge. */
export interface ShownPullRequest {
  number: number;
  state: 'open' | 'closed';
  merged: boolean;
  title: string;
  body: string;
  /** The branch to merge, and the commit at its tip. */
  head: string;
  headSHA: string;
  base: string;
}

/** The fields of the response of GitHub's API that are read. */
interface PullRequestAnswer {
  number: number;
  state: 'open' | 'closed';
  merged_at: string | null;
  title: string;
  body: string | null;
  head: { ref: string; sha: string };
  base: { ref: string };
}

/** A user of the forge who acts manually, with a personal token. */
export interface ForgeUser {
  readonly user: UserHandle;
  /** Merges a pull request, by default with a merge commit. */
  merge(repository: string, pull: number, method?: 'merge' | 'squash'): Promise<void>;
  close(repository: string, pull: number): Promise<void>;
  /** Reopens a closed pull request. */
  reopen(repository: string, pull: number): Promise<void>;
  /** Returns all pull requests of a repository, newest first, after detecting changes in its folder. */
  pulls(repository: string): Promise<ShownPullRequest[]>;
}

/** A user of GitHub. */
export class GithubUser implements ForgeUser {
  readonly #forge: Forge;

  constructor(
    forge: Forge,
    readonly user: UserHandle,
  ) {
    this.#forge = forge;
  }

  async merge(repository: string, pull: number, method: 'merge' | 'squash' = 'merge'): Promise<void> {
    await this.#call('PUT', `/repos/${repository}/pulls/${pull}/merge`, { merge_method: method });
  }

  async close(repository: string, pull: number): Promise<void> {
    await this.#call('PATCH', `/repos/${repository}/pulls/${pull}`, { state: 'closed' });
  }

  async reopen(repository: string, pull: number): Promise<void> {
    await this.#call('PATCH', `/repos/${repository}/pulls/${pull}`, { state: 'open' });
  }

  async pulls(repository: string): Promise<ShownPullRequest[]> {
    const path = `/repos/${repository}/pulls?state=all&per_page=100`;
    const answer = (await this.#call('GET', path)) as PullRequestAnswer[];
    return answer.map(({ number, state, merged_at, title, body, head, base }) => ({
      number,
      state,
      merged: merged_at !== null,
      title,
      body: body ?? '',
      head: head.ref,
      headSHA: head.sha,
      base: base.ref,
    }));
  }

  #call(method: Dispatcher.HttpMethod, path: string, payload?: object): Promise<unknown> {
    return askForge(method, `${this.#forge.apiUrl}${path}`, this.user, payload);
  }
}

/** Sends a request to an API of the forge with the token of a user. Returns the body of the response. @throws Error for a refusal */
export async function askForge(
  method: Dispatcher.HttpMethod,
  url: string,
  { token }: Pick<UserHandle, 'token'>,
  payload?: object,
): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(payload && { body: JSON.stringify(payload) }),
  });
  const answer = await body.text();
  if (statusCode >= 300) throw new Error(`${method} ${url} was answered ${statusCode}: ${answer}`);
  return answer === '' ? undefined : JSON.parse(answer);
}
