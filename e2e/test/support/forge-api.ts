import { askForge } from '@interlock/forge';
import type { Dispatcher } from 'undici';

export interface PullRequestView {
  number: number;
  state: 'open' | 'closed';
  title: string;
  created_at: string;
  closed_at: string | null;
  merged_at: string | null;
  merge_commit_sha: string | null;
  head: { ref: string; sha: string };
  base: { ref: string };
}

interface CheckRunView {
  id: number;
  name: string;
  head_sha: string;
  status: string;
  conclusion: string | null;
}

/** A client for an API of the forge, by default GitHub's API, with the token of a user. */
export class ForgeApi {
  readonly #token: string;

  constructor(
    readonly url: string,
    token: string,
  ) {
    this.#token = token;
  }

  /** Returns all pull requests of a repository, oldest first. */
  async pullRequests(repository: string): Promise<PullRequestView[]> {
    const found: PullRequestView[] = [];
    for (let page = 1; ; page++) {
      const path = `/repos/${repository}/pulls?state=all&sort=created&direction=asc&per_page=100&page=${page}`;
      const more = (await this.call('GET', path)) as PullRequestView[];
      found.push(...more);
      if (more.length < 100) return found;
    }
  }

  /** Returns all check runs of a commit, including replaced ones. */
  async checkRuns(repository: string, sha: string): Promise<CheckRunView[]> {
    const path = `/repos/${repository}/commits/${sha}/check-runs?filter=all&per_page=100`;
    return ((await this.call('GET', path)) as { check_runs: CheckRunView[] }).check_runs;
  }

  /** @throws Error for a refusal */
  call(method: Dispatcher.HttpMethod, path: string, payload?: object): Promise<unknown> {
    return askForge(method, `${this.url}${path}`, { token: this.#token }, payload);
  }
}
