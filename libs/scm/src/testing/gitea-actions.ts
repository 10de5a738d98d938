import type { MergeMethod } from '../scm.js';
import type { ShownPullRequest, ShownStatus } from './contract-fixture.js';
import { GitUser } from './git-user.js';
import type { GiteaTenant } from './gitea-forge.js';
import { phaseOfState } from './status-states.js';

interface Pull {
  number: number;
  state: 'open' | 'closed';
  merged: boolean;
  title: string;
  body: string;
  labels: { name: string }[];
  head: { ref: string };
  base: { ref: string };
}

const allowances = {
  merge: 'allow_merge_commits',
  squash: 'allow_squash_merge',
  rebase: 'allow_rebase',
} as const;

/** The actions and reads of a user at Gitea. */
export class GiteaActions extends GitUser {
  readonly #home: string;

  constructor(readonly tenant: GiteaTenant) {
    super(tenant.repository.path);
    this.#home = `/repos/${tenant.repository.fullName}`;
  }

  async open(head: string, base: string): Promise<number> {
    const wanted = { head, base, title: 'by hand', body: 'by hand' };
    const pull = await this.tenant.user.ask<Pull>('POST', `${this.#home}/pulls`, wanted);
    return pull?.number ?? 0;
  }

  async close(id: number): Promise<void> {
    await this.tenant.user.ask('PATCH', `${this.#home}/pulls/${id}`, { state: 'closed' });
  }

  async retarget(id: number, base: string): Promise<void> {
    await this.tenant.user.ask('PATCH', `${this.#home}/pulls/${id}`, { base });
  }

  async merge(id: number): Promise<void> {
    await this.tenant.user.ask('POST', `${this.#home}/pulls/${id}/merge`, { Do: 'merge' });
  }

  async conflict(id: number): Promise<void> {
    const pull = await this.tenant.user.ask<Pull>('GET', `${this.#home}/pulls/${id}`);
    await this.conflictOf(pull?.head.ref ?? '', pull?.base.ref ?? '');
  }

  async forbid(method: MergeMethod): Promise<void> {
    await this.tenant.owner.ask('PATCH', this.#home, { [allowances[method]]: false });
  }

  /** Returns at most 150 pull requests. */
  async pullRequests(): Promise<ShownPullRequest[]> {
    const shown: ShownPullRequest[] = [];
    for (const page of [1, 2, 3]) {
      const path = `${this.#home}/pulls?state=all&sort=oldest&limit=50&page=${page}`;
      const pulls = (await this.tenant.user.ask<Pull[]>('GET', path)) ?? [];
      for (const { number, state, merged, title, body, labels } of pulls) {
        const names = labels.map(({ name }) => name);
        shown.push({ id: number, state: merged ? 'merged' : state, title, body, labels: names });
      }
    }
    return shown;
  }

  async comment(id: number, body: string): Promise<void> {
    await this.tenant.user.ask('POST', `${this.#home}/issues/${id}/comments`, { body });
  }

  /** Returns the texts of the comments, all of which Gitea returns at once. */
  async comments(id: number): Promise<string[]> {
    const path = `${this.#home}/issues/${id}/comments`;
    return ((await this.tenant.user.ask<{ body: string }[]>('GET', path)) ?? []).map(({ body }) => body);
  }

  async reviewers(id: number): Promise<string[]> {
    const path = `${this.#home}/pulls/${id}`;
    const pull = await this.tenant.user.ask<{ requested_reviewers: { login: string }[] | null }>('GET', path);
    return (pull?.requested_reviewers ?? []).map(({ login }) => login);
  }

  async status(sha: string, name: string): Promise<ShownStatus | undefined> {
    interface Combined {
      statuses: { context: string; status: string; description: string }[] | null;
    }
    const path = `${this.#home}/commits/${sha}/status?limit=50`;
    const statuses = (await this.tenant.user.ask<Combined>('GET', path))?.statuses ?? [];
    const found = statuses.find(({ context }) => context === name);
    return found && { phase: phaseOfState[found.status] ?? 'queued', description: found.description };
  }
}
