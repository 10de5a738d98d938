import { TypedError, ifFound, isTyped } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { pullRequestCall, type Call } from '../http/call.js';
import { queryText } from '../query.js';
import { dequeued } from '../refusals.js';
import type {
  LabelChange,
  MergeOutcome,
  MergeRequest,
  NewPullRequest,
  PullRequestChange,
  PullRequestInfo,
  PullRequestQuery,
} from '../scm.js';
import type { ProjectClient } from './client.js';
import { toGitlab } from './description.js';
import { details, draftTitle, mergeShaOf, summary } from './info.js';
import { mergeError, type ShownMergeRequest } from './merge-error.js';
import { readSettings, refuseMethod } from './settings.js';

/** Merge requests of one project (REST API, "Merge requests"). */
export class GitlabMergeRequests {
  constructor(readonly client: ProjectClient) {}

  find({ head, base, state }: PullRequestQuery, options?: CallOptions): Promise<PullRequestInfo[]> {
    const projectId = this.client.id;
    return this.client.list(
      (paging) => (api) =>
        api.MergeRequests.all({
          projectId,
          ...(head !== undefined && { sourceBranch: head }),
          ...(base !== undefined && { targetBranch: base }),
          ...(state === 'open' ? { state: 'opened' as const } : {}),
          orderBy: 'created_at',
          sort: 'asc',
          ...paging,
        }),
      pullRequestCall('list', 'read', options, queryText({ head, base, state })),
      (requests) =>
        requests.filter((request) => request.source_project_id === request.target_project_id).map(summary),
    );
  }

  async get(id: number, options?: CallOptions): Promise<PullRequestInfo> {
    return (await this.#show(id, options)).info;
  }

  async create(request: NewPullRequest, options?: CallOptions): Promise<PullRequestInfo> {
    const { head, base, title, body, draft = false } = request;
    await this.#refuseEmpty(request, options);
    try {
      return details(
        await this.client.send(
          (api) =>
            api.MergeRequests.create(this.client.id, head, base, draft ? draftTitle(title) : title, {
              description: toGitlab(body),
              removeSourceBranch: false,
              squash: false,
            }),
          pullRequestCall('create', 'write', options, `merge request from ${head} to ${base}`),
        ),
      );
    } catch (error) {
      if (!isTyped(error, 'Conflict')) throw error;
      throw new TypedError('Conflict', error.message, { reason: 'AlreadyExists' });
    }
  }

  async update(id: number, change: PullRequestChange, options?: CallOptions): Promise<PullRequestInfo> {
    const { title, body } = change;
    // The title of a draft begins with a prefix that marks it.
    const draft = title !== undefined && (await this.get(id, { priority: 'write', ...options })).draft;
    const desired = {
      ...(title === undefined ? {} : { title: draft ? draftTitle(title) : title }),
      ...(body === undefined ? {} : { description: toGitlab(body) }),
    };
    return this.#edit(id, desired, pullRequestCall('update', 'write', options, mergeRequest(id)));
  }

  close(id: number, options?: CallOptions): Promise<PullRequestInfo> {
    return this.#edit(
      id,
      { stateEvent: 'close' },
      pullRequestCall('close', 'write', options, mergeRequest(id)),
    );
  }

  /** Merges a merge request. GitLab follows the settings of the project instead of the request, so they are read first. */
  async merge(id: number, merge: MergeRequest, options?: CallOptions): Promise<MergeOutcome> {
    const { headSha, method, commitTitle, commitMessage } = merge;
    const settings = await readSettings(this.client, { ...options, priority: 'critical' });
    refuseMethod(method, settings, `merge ${mergeRequest(id)} of ${this.client.fullName}`);
    if (settings.mergeTrains) return this.#board(id, merge, options);
    const text = [commitTitle, commitMessage].filter((part) => part !== undefined && part !== '');
    const message = text.length === 0 ? {} : { mergeCommitMessage: text.join('\n\n') };
    const squash = method === 'squash';
    const squashMessage = squash && text.length > 0 ? { squashCommitMessage: text.join('\n\n') } : {};
    try {
      const merged = await this.client.send(
        (api) =>
          api.MergeRequests.merge(this.client.id, id, {
            sha: headSha,
            squash,
            shouldRemoveSourceBranch: false,
            ...message,
            ...squashMessage,
          }),
        pullRequestCall('merge', 'critical', options, mergeRequest(id)),
      );
      return { mergeSha: mergeShaOf(merged) };
    } catch (error) {
      const now = () => this.#show(id, { ...options, priority: 'critical' });
      throw isTyped(error) ? await mergeError(error, headSha, now) : error;
    }
  }

  /** Adds a merge request to the merge train of its target branch, unless it is already there (REST API, "Merge trains"). */
  async #board(
    id: number,
    { base, headSha, method, queued: wasOnTrain = false }: MergeRequest,
    options?: CallOptions,
  ): Promise<MergeOutcome> {
    const train = `the merge train of ${base}`;
    const queued = { queued: `it is on ${train}` };
    const urgent: CallOptions = { ...options, priority: 'critical' };
    if (await this.#isOnTrain(id, urgent)) return queued;
    if (wasOnTrain) throw dequeued(train);
    try {
      const request = { sha: headSha, squash: method === 'squash' };
      await this.client.send(
        (api) => api.MergeTrains.addMergeRequest(this.client.id, id, request),
        pullRequestCall('board', 'critical', options, mergeRequest(id)),
      );
      return queued;
    } catch (error) {
      if (!isTyped(error, 'Conflict', 'Invalid')) throw error;
      if (await this.#isOnTrain(id, urgent)) return queued;
      if (error.type === 'Conflict') throw await mergeError(error, headSha, () => this.#show(id, urgent));
      throw new TypedError('Conflict', error.message, { reason: 'Blocked' });
    }
  }

  /**
   * Removes a merge request from its train, which GitLab does when the automatic merge is cancelled. Returns whether it
   * was there.
   */
  async leaveTrain(id: number, options?: CallOptions): Promise<boolean> {
    if (!(await this.#isOnTrain(id, { ...options, priority: 'critical' }))) return false;
    await this.client.send(
      (api) => api.MergeRequests.cancelOnPipelineSuccess(this.client.id, id),
      pullRequestCall('unboard', 'critical', options, mergeRequest(id)),
    );
    return true;
  }

  async #isOnTrain(id: number, options?: CallOptions): Promise<boolean> {
    const call = pullRequestCall('get', 'read', options, `merge train of ${mergeRequest(id)}`);
    const car = await ifFound(this.client.get((api) => api.MergeTrains.showStatus(this.client.id, id), call));
    return car !== undefined && !['merged', 'skip_merged'].includes(car.status);
  }

  /** Ensures labels. Labels that are new to the project are created. Their names are case-sensitive. */
  async ensureLabels(
    id: number,
    { add = [], remove = [] }: LabelChange,
    options?: CallOptions,
  ): Promise<boolean> {
    const unusable = [...add, ...remove].find((name) => name.includes(','));
    if (unusable !== undefined) {
      throw new TypedError(
        'Invalid',
        `label ${JSON.stringify(unusable)}: GitLab does not allow commas in labels`,
      );
    }
    const { labels } = await this.get(id, { priority: 'write', ...options });
    const missing = add.filter((name) => !labels.includes(name));
    const surplus = remove.filter((name) => labels.includes(name));
    if (missing.length + surplus.length === 0) return false;
    const change = { addLabels: missing.join(','), removeLabels: surplus.join(',') };
    await this.#edit(
      id,
      change,
      pullRequestCall('update', 'write', options, `labels of ${mergeRequest(id)}`),
    );
    return true;
  }

  #show(id: number, options?: CallOptions): Promise<ShownMergeRequest> {
    return this.client.read(
      (api) => api.MergeRequests.show(this.client.id, id),
      pullRequestCall('get', 'read', options, mergeRequest(id)),
      (request) => ({
        info: details(request),
        obstacle: request.merge_error ?? String(request.detailed_merge_status),
      }),
    );
  }

  async #edit(
    id: number,
    change: {
      title?: string;
      description?: string;
      stateEvent?: string;
      addLabels?: string;
      removeLabels?: string;
    },
    what: Call,
  ): Promise<PullRequestInfo> {
    return details(await this.client.send((api) => api.MergeRequests.edit(this.client.id, id, change), what));
  }

  /** Refuses merge requests that have nothing to merge, or whose branches do not exist, because GitLab would create them. */
  async #refuseEmpty({ head, base }: NewPullRequest, options?: CallOptions): Promise<void> {
    const what = `merge request from ${head} to ${base} of ${this.client.fullName}`;
    const missing = (branch: string): TypedError =>
      new TypedError('Invalid', `create ${what}: the branch ${branch} does not exist`, {
        reason: 'BranchMissing',
      });
    const tip = await this.client
      .read(
        (api) => api.Branches.show(this.client.id, head),
        pullRequestCall('get', 'write', options, `branch ${head}`),
        ({ commit }) => commit.id,
      )
      .catch((error: unknown) => {
        throw isTyped(error, 'NotFound') ? missing(head) : error;
      });
    const shared = await this.client
      .read(
        (api) => api.Repositories.mergeBase(this.client.id, [base, tip]),
        pullRequestCall('get', 'write', options, `merge base of ${base} and ${head}`),
        ({ id }) => id,
      )
      .catch((error: unknown) => {
        throw isTyped(error, 'Invalid') ? missing(base) : error;
      });
    if (shared !== tip) return;
    throw new TypedError('Invalid', `create ${what}: no commits between them`, { reason: 'NoCommits' });
  }
}

function mergeRequest(id: number): string {
  return `merge request ${id}`;
}
