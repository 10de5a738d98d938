import { ifFound, isTyped, TypedError } from '@interlock/api';
import { matchesWildcard } from '@interlock/base';
import type { CallOptions } from '../call-options.js';
import { pullRequest, pullRequestCall, type Call } from '../http/call.js';
import { matchesQuery, queryText } from '../query.js';
import type { MergeRequest, NewPullRequest, PullRequestInfo, PullRequestQuery } from '../scm.js';
import type { GiteaClient } from './client.js';
import { mergeError } from './errors.js';
import { infoOf, isPullRef, type Pull } from './pull.js';
import type { GiteaStatuses } from './statuses.js';

interface Branch {
  protected: boolean;
  enable_status_check: boolean;
  status_check_contexts: string[] | null;
  user_can_merge: boolean;
}

interface Reference {
  object: { sha: string };
}

interface TimelineEntry {
  type: string;
  user: { login: string } | null;
}

/** What blocks the merge of a pull request. */
type Obstacle = { reason: 'NotOpen' | 'MergeConflict' } | { reason: 'Blocked'; why: string };

/** Pull requests of one repository (REST API, "repository": pulls). */
export class GiteaPullRequests {
  readonly #client: GiteaClient;
  readonly #statuses: GiteaStatuses;

  constructor(client: GiteaClient, statuses: GiteaStatuses) {
    this.#client = client;
    this.#statuses = statuses;
  }

  /** Returns the pull requests that match a query. The API does not have a filter for branches. */
  async find({ head, base, state }: PullRequestQuery, options?: CallOptions): Promise<PullRequestInfo[]> {
    const found = await this.#client.list<Pull[], Pull>(
      this.#client.path('pulls'),
      { state, sort: 'oldest' },
      pullRequestCall('list', 'read', options, queryText({ head, base, state })),
      (pulls) => pulls,
    );
    const infos = new Map(found.filter(isInside).map((pull) => [pull.number, infoOf(pull)]));
    return [...infos.values()]
      .filter((info) => matchesQuery(info, { head, base }))
      .sort((a, b) => a.id - b.id);
  }

  async get(id: number, options?: CallOptions): Promise<PullRequestInfo> {
    const pull = await this.#read(id, options);
    const info = infoOf(pull);
    if (info.state !== 'open') {
      const ended = { ...info, headSha: await this.#lastHead(pull, options) };
      return info.state === 'merged' ? ended : { ...ended, closedBy: await this.#closedBy(pull, options) };
    }
    const obstacle = await this.#obstacle(pull, options);
    switch (obstacle?.reason) {
      case undefined:
        return { ...info, mergeability: 'mergeable' };
      case 'NotOpen':
        return info;
      case 'MergeConflict':
        return { ...info, mergeability: 'conflicting' };
      case 'Blocked':
        return { ...info, mergeability: 'blocked' };
    }
  }

  async create(request: NewPullRequest, options?: CallOptions): Promise<PullRequestInfo> {
    const { head, base, title, body } = request;
    const call = pullRequestCall('create', 'write', options, `pull request from ${head} to ${base}`);
    try {
      const desired = { head, base, title, body };
      return infoOf(await this.#client.send<Pull>('POST', this.#client.path('pulls'), call, desired));
    } catch (error) {
      if (isTyped(error, 'Conflict')) {
        throw new TypedError('Conflict', error.message, { reason: 'AlreadyExists' });
      }
      if (!isTyped(error, 'NotFound')) throw error;
      // The API does not state what it did not find.
      for (const branch of [head, base]) {
        if ((await this.#branch(branch, options)) !== undefined) continue;
        const message = `${error.message}; there is no branch ${branch}`;
        throw new TypedError('Invalid', message, { reason: 'BranchMissing' });
      }
      throw error;
    }
  }

  async edit(
    id: number,
    operation: 'update' | 'close',
    change: { title?: string | undefined; body?: string | undefined; state?: 'closed' },
    options?: CallOptions,
  ): Promise<PullRequestInfo> {
    const call = pullRequestCall(operation, 'write', options, pullRequest(id));
    return infoOf(await this.#client.send<Pull>('PATCH', this.#client.path('pulls', id), call, change));
  }

  async merge(id: number, merge: MergeRequest, options?: CallOptions): Promise<{ mergeSha: string }> {
    const { headSha, method, commitTitle, commitMessage } = merge;
    const body = {
      Do: method,
      head_commit_id: headSha,
      ...(commitTitle === undefined ? {} : { MergeTitleField: commitTitle }),
      ...(commitMessage === undefined ? {} : { MergeMessageField: commitMessage }),
    };
    const call = pullRequestCall('merge', 'critical', options, pullRequest(id));
    try {
      await this.#client.send('POST', this.#client.path('pulls', id, 'merge'), call, body);
    } catch (error) {
      throw await this.#explained(id, mergeError(error), options);
    }
    // The response to a merge is empty.
    const { mergeSha } = infoOf(await this.#read(id, { ...options, priority: 'critical' }));
    if (mergeSha !== undefined) return { mergeSha };
    throw new TypedError('Transient', `merge ${pullRequest(id)}: it is not reported as merged yet`, {
      reason: 'BadAnswer',
    });
  }

  /**
   * Explains the refusal of a merge from the pull request, because the response rarely states the reason. For a
   * closed pull request, the response is a 404.
   */
  async #explained(id: number, refused: unknown, options?: CallOptions): Promise<unknown> {
    const vague =
      isTyped(refused, 'NotFound') ||
      (isTyped(refused, 'Conflict') && ['NotMergeable', 'Blocked'].includes(refused.reason));
    if (!vague) return refused;
    const urgent: CallOptions = { ...options, priority: 'critical' };
    const pull = await this.#read(id, urgent).catch(() => undefined);
    const obstacle = pull === undefined ? undefined : await this.#obstacle(pull, urgent);
    if (obstacle === undefined) return refused;
    const why = 'why' in obstacle ? `; ${obstacle.why}` : '';
    return new TypedError('Conflict', `${refused.message}${why}`, { reason: obstacle.reason });
  }

  /** Returns what blocks a merge; undefined if nothing does. */
  async #obstacle(pull: Pull, options?: CallOptions): Promise<Obstacle | undefined> {
    if (pull.merged || pull.state !== 'open') return { reason: 'NotOpen' };
    if (pull.draft === true) return { reason: 'Blocked', why: 'it is work in progress' };
    if (!pull.mergeable) return { reason: 'MergeConflict' };
    const base = await this.#branch(pull.base.ref, options);
    if (base?.protected !== true) return undefined;
    if (!base.user_can_merge) {
      return { reason: 'Blocked', why: `the credential is not allowed to merge into ${pull.base.ref}` };
    }
    const required = base.enable_status_check ? (base.status_check_contexts ?? []) : [];
    if (required.length === 0) return undefined;
    const good = (await this.#statuses.list(pull.head.sha, options))
      .filter(({ phase }) => phase === 'success')
      .map(({ name }) => name);
    const missing = required.filter((pattern) => !good.some((name) => matchesWildcard(pattern, name)));
    if (missing.length === 0) return undefined;
    return { reason: 'Blocked', why: `statuses that are not successful: ${missing.join(', ')}` };
  }

  #read(id: number, options?: CallOptions): Promise<Pull> {
    const call = pullRequestCall('get', 'read', options, pullRequest(id));
    return this.#client.send<Pull>('GET', this.#client.path('pulls', id), call);
  }

  async #branch(name: string, options?: CallOptions): Promise<Branch | undefined> {
    const call: Call = {
      api: 'Repository',
      operation: 'get',
      priority: 'write',
      options,
      object: `branch ${name}`,
    };
    return ifFound(this.#client.send<Branch>('GET', this.#client.branchPath(name), call));
  }

  /**
   * Returns the head of a pull request. For an existing branch Gitea reports its tip, even after the pull request was
   * closed; the reference of the pull request is stable.
   */
  async #lastHead({ number, head }: Pull, options?: CallOptions): Promise<string> {
    if (isPullRef(head.ref)) return head.sha;
    const call = pullRequestCall('get', 'read', options, `head of ${pullRequest(number)}`);
    const path = this.#client.path('git', 'refs', 'pull', number, 'head');
    const refs = (await ifFound(this.#client.send<Reference | Reference[]>('GET', path, call))) ?? [];
    return [refs].flat()[0]?.object.sha ?? head.sha;
  }

  /** Returns who closed a pull request, from its timeline, because the pull request itself does not record it. */
  async #closedBy({ number, closed_at: since }: Pull, options?: CallOptions): Promise<string | undefined> {
    const entries = await this.#client.list<TimelineEntry[] | null, TimelineEntry>(
      this.#client.path('issues', number, 'timeline'),
      since === null ? {} : { since },
      pullRequestCall('get', 'read', options, `timeline of ${pullRequest(number)}`),
      (timeline) => timeline,
    );
    return entries.filter(({ type }) => type === 'close').at(-1)?.user?.login;
  }
}

function isInside({ head, base }: Pull): boolean {
  return head.repo_id === base.repo_id;
}
