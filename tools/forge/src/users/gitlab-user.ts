import type { Forge } from '../forge.js';
import type { UserHandle } from '../provisioning.js';
import type { Dispatcher } from 'undici';
import { askForge, type ForgeUser, type ShownPullRequest } from './forge-user.js';

/** The fields of the response of GitLab's API that are read. */
interface MergeRequestAnswer {
  iid: number;
  state: 'opened' | 'closed' | 'merged';
  title: string;
  description: string | null;
  source_branch: string;
  target_branch: string;
  sha: string;
}

/** A user of GitLab. */
export class GitlabUser implements ForgeUser {
  readonly #forge: Forge;

  constructor(
    forge: Forge,
    readonly user: UserHandle,
  ) {
    this.#forge = forge;
  }

  async merge(repository: string, pull: number, method: 'merge' | 'squash' = 'merge'): Promise<void> {
    await this.#call('PUT', repository, `/${pull}/merge`, { squash: method === 'squash' });
  }

  async close(repository: string, pull: number): Promise<void> {
    await this.#call('PUT', repository, `/${pull}`, { state_event: 'close' });
  }

  async reopen(repository: string, pull: number): Promise<void> {
    await this.#call('PUT', repository, `/${pull}`, { state_event: 'reopen' });
  }

  async pulls(repository: string): Promise<ShownPullRequest[]> {
    const answer = (await this.#call('GET', repository, '?per_page=100')) as MergeRequestAnswer[];
    return answer.map(({ iid, state, title, description, source_branch, target_branch, sha }) => ({
      number: iid,
      state: state === 'opened' ? 'open' : 'closed',
      merged: state === 'merged',
      title,
      body: description ?? '',
      head: source_branch,
      headSHA: sha,
      base: target_branch,
    }));
  }

  #call(method: Dispatcher.HttpMethod, repository: string, path: string, payload?: object): Promise<unknown> {
    const project = `${this.#forge.url}/api/v4/projects/${encodeURIComponent(repository)}`;
    return askForge(method, `${project}/merge_requests${path}`, this.user, payload);
  }
}
