import type { CommitStatusPhase } from '@interlock/api';
import type { MergeMethod } from '../scm.js';
import type { ShownPullRequest, ShownStatus } from './contract-fixture.js';
import { GitUser } from './git-user.js';
import type { Tenant } from './github-forge.js';
import { phaseOfState } from './status-states.js';

const allowances = {
  merge: 'allow_merge_commit',
  squash: 'allow_squash_merge',
  rebase: 'allow_rebase_merge',
} as const;

/** The actions and reads of a user at GitHub. */
export class GithubActions extends GitUser {
  readonly #at: { owner: string; repo: string };

  constructor(readonly tenant: Tenant) {
    super(tenant.repository.path);
    this.#at = { owner: tenant.repository.owner, repo: tenant.repository.name };
  }

  async open(head: string, base: string): Promise<number> {
    const route = 'POST /repos/{owner}/{repo}/pulls';
    const wanted = { ...this.#at, head, base, title: 'by hand', body: 'by hand' };
    return (await this.tenant.user.ask(route, wanted)).number;
  }

  async close(id: number): Promise<void> {
    const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
    await this.tenant.user.ask(route, { ...this.#at, pull_number: id, state: 'closed' });
  }

  async retarget(id: number, base: string): Promise<void> {
    const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
    await this.tenant.user.ask(route, { ...this.#at, pull_number: id, base });
  }

  async merge(id: number): Promise<void> {
    const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge';
    await this.tenant.user.ask(route, { ...this.#at, pull_number: id });
  }

  /** Puts another file of the same name on the base. */
  async conflict(id: number): Promise<void> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    const { head, base } = await this.tenant.user.ask(route, { ...this.#at, pull_number: id });
    await this.conflictOf(head.ref, base.ref);
  }

  async forbid(method: MergeMethod): Promise<void> {
    const { owner } = this.tenant;
    await owner.ask('PATCH /repos/{owner}/{repo}', { ...this.#at, [allowances[method]]: false });
  }

  /** Returns at most 100 pull requests. */
  async pullRequests(): Promise<ShownPullRequest[]> {
    const pulls = await this.tenant.user.ask('GET /repos/{owner}/{repo}/pulls', {
      ...this.#at,
      state: 'all',
      sort: 'created',
      direction: 'asc',
      per_page: 100,
    });
    return pulls.map(({ number, state, merged_at: merged, title, body, labels }) => ({
      id: number,
      state: merged !== null ? 'merged' : state === 'open' ? 'open' : 'closed',
      title,
      body: body ?? '',
      labels: labels.map(({ name }) => name),
    }));
  }

  async comment(id: number, body: string): Promise<void> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    await this.tenant.user.ask(route, { ...this.#at, issue_number: id, body });
  }

  async comments(id: number): Promise<string[]> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const texts: string[] = [];
    for (const page of [1, 2]) {
      const wanted = { ...this.#at, issue_number: id, per_page: 100, page };
      texts.push(...(await this.tenant.user.ask(route, wanted)).map(({ body }) => body ?? ''));
    }
    return texts;
  }

  async reviewers(id: number): Promise<string[]> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    const pull = await this.tenant.user.ask(route, { ...this.#at, pull_number: id });
    return pull.requested_reviewers?.map(({ login }) => login) ?? [];
  }

  status(sha: string, name: string): Promise<ShownStatus | undefined> {
    return this.tenant.kind === 'app' ? this.#checkRun(sha, name) : this.#commitStatus(sha, name);
  }

  async #commitStatus(ref: string, name: string): Promise<ShownStatus | undefined> {
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}/status';
    const { statuses } = await this.tenant.user.ask(route, { ...this.#at, ref, per_page: 100 });
    const found = statuses.find(({ context }) => context === name);
    if (found === undefined) return undefined;
    return { phase: phaseOfState[found.state] ?? 'queued', description: found.description ?? '' };
  }

  async #checkRun(ref: string, name: string): Promise<ShownStatus | undefined> {
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
    const { check_runs: runs } = await this.tenant.user.ask(route, { ...this.#at, ref, check_name: name });
    const [newest] = runs.sort((a, b) => Number(b.id) - Number(a.id));
    if (newest === undefined) return undefined;
    return {
      phase: (newest.conclusion ?? newest.status) as CommitStatusPhase,
      description: newest.output.summary ?? '',
    };
  }
}
