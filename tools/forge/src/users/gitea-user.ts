import type { Forge } from '../forge.js';
import type { UserHandle } from '../provisioning.js';
import type { Dispatcher } from 'undici';
import { askForge, type ForgeUser, type ShownPullRequest } from './forge-user.js';

/** The fields of the response of Gitea's API that are read. */
interface PullAnswer {
  number: number;
  state: 'open' | 'closed';
  merged: boolean;
  title: string;
  body: string;
  head: { ref: string; sha: string };
  base: { ref: string };
}

/** A user of Gitea or Forgejo. */
export class GiteaUser implements ForgeUser {
  readonly #forge: Forge;

  constructor(
    forge: Forge,
    readonly user: UserHandle,
  ) {
    this.#forge = forge;
  }

  async merge(repository: string, pull: number, method: 'merge' | 'squash' = 'merge'): Promise<void> {
    await this.#call('POST', repository, `/${pull}/merge`, { Do: method });
  }

  async close(repository: string, pull: number): Promise<void> {
    await this.#call('PATCH', repository, `/${pull}`, { state: 'closed' });
  }

  async reopen(repository: string, pull: number): Promise<void> {
    await this.#call('PATCH', repository, `/${pull}`, { state: 'open' });
  }

  async pulls(repository: string): Promise<ShownPullRequest[]> {
    const answer = (await this.#call('GET', repository, '?state=all&limit=50')) as PullAnswer[];
    return answer.map(({ number, state, merged, title, body, head, base }) => ({
      number,
      state,
      merged,
      title,
      body,
      head: head.ref,
      headSHA: head.sha,
      base: base.ref,
    }));
  }

  #call(method: Dispatcher.HttpMethod, repository: string, path: string, payload?: object): Promise<unknown> {
    return askForge(method, `${this.#forge.url}/api/v1/repos/${repository}/pulls${path}`, this.user, payload);
  }
}
