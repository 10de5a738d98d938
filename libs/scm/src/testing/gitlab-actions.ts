import type { CommitStatusPhase } from '@interlock/api';
import type { MergeMethod } from '../scm.js';
import type { ShownPullRequest, ShownStatus } from './contract-fixture.js';
import { GitUser } from './git-user.js';
import type { GitlabTenant } from './gitlab-forge.js';

interface MergeRequest {
  iid: number;
  state: 'opened' | 'closed' | 'merged';
  title: string;
  description: string | null;
  labels: string[];
  source_branch: string;
  target_branch: string;
}

const phases: Readonly<Record<string, CommitStatusPhase>> = {
  pending: 'queued',
  running: 'in_progress',
  success: 'success',
  failed: 'failure',
  canceled: 'cancelled',
};

/** The actions and reads of a user at GitLab. */
export class GitlabActions extends GitUser {
  readonly #project: string;

  constructor(readonly tenant: GitlabTenant) {
    super(tenant.repository.path);
    this.#project = `/projects/${encodeURIComponent(tenant.repository.fullName)}`;
  }

  async open(head: string, base: string): Promise<number> {
    const wanted = { source_branch: head, target_branch: base, title: 'by hand', description: 'by hand' };
    const path = `${this.#project}/merge_requests`;
    return (await this.tenant.user.ask<MergeRequest>('POST', path, wanted)).iid;
  }

  async close(id: number): Promise<void> {
    await this.tenant.user.ask('PUT', this.#path(id), { state_event: 'close' });
  }

  async retarget(id: number, base: string): Promise<void> {
    await this.tenant.user.ask('PUT', this.#path(id), { target_branch: base });
  }

  async merge(id: number): Promise<void> {
    await this.tenant.user.ask('PUT', `${this.#path(id)}/merge`);
  }

  async conflict(id: number): Promise<void> {
    const request = await this.tenant.user.ask<MergeRequest>('GET', this.#path(id));
    await this.conflictOf(request.source_branch, request.target_branch);
  }

  async forbid(method: MergeMethod): Promise<void> {
    if (method !== 'squash') throw new Error(`GitLab has no setting that forbids ${method} alone`);
    await this.tenant.owner.ask('PUT', this.#project, { squash_option: 'never' });
  }

  async requirePipeline(): Promise<void> {
    await this.tenant.owner.ask('PUT', this.#project, { only_allow_merge_if_pipeline_succeeds: true });
  }

  /** Returns at most 100. */
  async pullRequests(): Promise<ShownPullRequest[]> {
    const query = 'order_by=created_at&sort=asc&per_page=100';
    const path = `${this.#project}/merge_requests?${query}`;
    const requests = await this.tenant.user.ask<MergeRequest[]>('GET', path);
    return requests.map(({ iid, state, title, description, labels }) => ({
      id: iid,
      state: state === 'opened' ? 'open' : state,
      title,
      body: description ?? '',
      labels,
    }));
  }

  async comment(id: number, body: string): Promise<void> {
    await this.tenant.user.ask('POST', `${this.#path(id)}/notes`, { body });
  }

  async comments(id: number): Promise<string[]> {
    const texts: string[] = [];
    for (const page of [1, 2]) {
      const path = `${this.#path(id)}/notes?sort=asc&per_page=100&page=${page}`;
      const notes = await this.tenant.user.ask<{ body: string; system: boolean }[]>('GET', path);
      texts.push(...notes.filter(({ system }) => !system).map(({ body }) => body));
    }
    return texts;
  }

  async reviewers(id: number): Promise<string[]> {
    const request = await this.tenant.user.ask<{ reviewers: { username: string }[] }>('GET', this.#path(id));
    return request.reviewers.map(({ username }) => username);
  }

  async status(sha: string, name: string): Promise<ShownStatus | undefined> {
    const path = `${this.#project}/repository/commits/${sha}/statuses?per_page=100&name=${name}`;
    const statuses = await this.tenant.user.ask<{ status: string; description: string | null }[]>(
      'GET',
      path,
    );
    const newest = statuses.at(-1);
    if (newest === undefined) return undefined;
    return { phase: phases[newest.status] ?? 'queued', description: newest.description ?? '' };
  }

  #path(id: number): string {
    return `${this.#project}/merge_requests/${id}`;
  }
}
