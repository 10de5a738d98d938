import { TypedError, isTyped } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { pullRequest, pullRequestCall } from '../http/call.js';
import { matchesQuery, queryText } from '../query.js';
import type {
  LabelChange,
  MergeOutcome,
  MergeRequest,
  Mergeability,
  NewPullRequest,
  PullRequestChange,
  PullRequestInfo,
  PullRequestQuery,
} from '../scm.js';
import type { RepositoryClient } from './client.js';
import { mergeError, saysAlreadyExists } from './errors.js';
import { GithubMergeQueue } from './merge-queue.js';
import type { Data } from './transport.js';

type Listed = Data<'GET /repos/{owner}/{repo}/pulls'>[number];
type Full = Data<'GET /repos/{owner}/{repo}/pulls/{pull_number}'>;

/** The reason why an open pull request cannot be merged. */
const reasons: Partial<Record<Mergeability, string>> = {
  conflicting: 'MergeConflict',
  blocked: 'Blocked',
  behind: 'Behind',
};

/** Pull requests of one repository (REST API, "Pulls" and "Issues"). */
export class GithubPullRequests {
  readonly #queue: GithubMergeQueue;

  constructor(readonly client: RepositoryClient) {
    this.#queue = new GithubMergeQueue(client);
  }

  async find({ head, base, state }: PullRequestQuery, options?: CallOptions): Promise<PullRequestInfo[]> {
    const { owner } = this.client.repository;
    const found = await this.client.list(
      'GET /repos/{owner}/{repo}/pulls',
      {
        ...this.#path(),
        ...(head !== undefined && { head: `${owner}:${head}` }),
        ...(base !== undefined && { base }),
        state,
        sort: 'created',
        direction: 'asc',
      },
      pullRequestCall('list', 'read', options, queryText({ head, base, state })),
      (pulls) => pulls,
      // The filter of the API includes forks with the same owner, and is ignored if it is malformed.
      (pulls) =>
        pulls
          .filter(isInside)
          .map(summary)
          .filter((pull) => matchesQuery(pull, { head, base })),
    );
    return [...new Map(found.map((pull) => [pull.id, pull])).values()];
  }

  async get(id: number, options?: CallOptions): Promise<PullRequestInfo> {
    const info = await this.client.read(
      'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      { ...this.#path(), pull_number: id },
      pullRequestCall('get', 'read', options, pullRequest(id)),
      details,
    );
    return info.state === 'closed' ? { ...info, closedBy: await this.#closedBy(id, options) } : info;
  }

  async create(request: NewPullRequest, options?: CallOptions): Promise<PullRequestInfo> {
    const { head, base, title, body, draft = false } = request;
    try {
      return details(
        await this.client.send(
          'POST /repos/{owner}/{repo}/pulls',
          { ...this.#path(), head, base, title, body, draft },
          pullRequestCall('create', 'write', options, `pull request from ${head} to ${base}`),
        ),
      );
    } catch (error) {
      if (!isTyped(error) || !saysAlreadyExists(error)) throw error;
      throw new TypedError('Conflict', error.message, { reason: 'AlreadyExists' });
    }
  }

  async update(id: number, change: PullRequestChange, options?: CallOptions): Promise<PullRequestInfo> {
    const { title, body } = change;
    return details(
      await this.client.send(
        'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
        {
          ...this.#path(),
          pull_number: id,
          ...(title === undefined ? {} : { title }),
          ...(body === undefined ? {} : { body }),
        },
        pullRequestCall('update', 'text', options, pullRequest(id)),
      ),
    );
  }

  async close(id: number, options?: CallOptions): Promise<PullRequestInfo> {
    return details(
      await this.client.send(
        'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
        { ...this.#path(), pull_number: id, state: 'closed' },
        pullRequestCall('close', 'write', options, pullRequest(id)),
      ),
    );
  }

  /** Merges a pull request, or adds it to the merge queue of the base, which merges later with its own method. */
  async merge(id: number, merge: MergeRequest, options?: CallOptions): Promise<MergeOutcome> {
    const { headSha, method, commitTitle, commitMessage } = merge;
    try {
      const { sha } = await this.client.send(
        'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
        {
          ...this.#path(),
          pull_number: id,
          sha: headSha,
          merge_method: method,
          ...(commitTitle === undefined ? {} : { commit_title: commitTitle }),
          ...(commitMessage === undefined ? {} : { commit_message: commitMessage }),
        },
        pullRequestCall('merge', 'critical', options, pullRequest(id)),
      );
      return { mergeSha: sha };
    } catch (error) {
      const refused = isTyped(error) ? mergeError(error) : error;
      if (isTyped(refused, 'Conflict') && refused.reason === 'QueueRequired') {
        await this.#queue.enter(id, merge, options);
        return { queued: `it is in the merge queue of ${merge.base}` };
      }
      throw isTyped(refused, 'Conflict') && ['NotMergeable', 'Blocked'].includes(refused.reason)
        ? await this.#explain(id, refused, options)
        : refused;
    }
  }

  leaveQueue(id: number, options?: CallOptions): Promise<boolean> {
    return this.#queue.leave(id, options);
  }

  /**
   * Ensures labels, which are the labels of the pull request's issue. Names are compared ignoring case, and new
   * labels are created.
   */
  async ensureLabels(
    id: number,
    { add = [], remove = [] }: LabelChange,
    options?: CallOptions,
  ): Promise<boolean> {
    const path = { ...this.#path(), issue_number: id };
    const object = `labels of ${pullRequest(id)}`;
    const present = await this.client.list(
      'GET /repos/{owner}/{repo}/issues/{issue_number}/labels',
      path,
      pullRequestCall('list', 'write', options, object),
      (labels) => labels,
      (labels) => labels.map(({ name }) => name),
    );
    const has = new Set(present.map((name) => name.toLowerCase()));
    const missing = add.filter((name) => !has.has(name.toLowerCase()));
    const surplus = remove.filter((name) => has.has(name.toLowerCase()));
    if (missing.length > 0) {
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
      await this.client.send(
        route,
        { ...path, labels: missing },
        pullRequestCall('add', 'text', options, object),
      );
    }
    for (const name of surplus) {
      const route = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';
      await this.client
        .send(route, { ...path, name }, pullRequestCall('remove', 'text', options, object))
        .catch(unless('NotFound'));
    }
    return missing.length + surplus.length > 0;
  }

  /**
   * Explains a refusal from the pull request, because GitHub reports only "not mergeable". The message of the refusal
   * is kept.
   */
  async #explain(id: number, refused: TypedError, options?: CallOptions): Promise<TypedError> {
    const info = await this.get(id, { ...options, priority: 'critical' }).catch(() => undefined);
    if (info === undefined) return refused;
    const reason = info.state === 'open' ? reasons[info.mergeability] : 'NotOpen';
    return reason === undefined ? refused : new TypedError('Conflict', refused.message, { reason });
  }

  async #closedBy(id: number, options?: CallOptions): Promise<string | undefined> {
    return this.client.read(
      'GET /repos/{owner}/{repo}/issues/{issue_number}',
      { ...this.#path(), issue_number: id },
      pullRequestCall('get', 'read', options, `issue of ${pullRequest(id)}`),
      (issue) => issue.closed_by?.login,
    );
  }

  #path(): { owner: string; repo: string } {
    const { owner, name } = this.client.repository;
    return { owner, repo: name };
  }
}

function unless(type: 'NotFound'): (error: unknown) => void {
  return (error) => {
    if (!isTyped(error, type)) throw error;
  };
}

function isInside(pull: Listed): boolean {
  return pull.head.repo?.id === pull.base.repo.id;
}

function summary(pull: Listed | Full): PullRequestInfo {
  const merged = pull.merged_at != null;
  return {
    id: pull.number,
    url: pull.html_url,
    title: pull.title,
    body: pull.body ?? '',
    state: merged ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft ?? false,
    head: pull.head.ref,
    headSha: pull.head.sha,
    base: pull.base.ref,
    labels: pull.labels.map(({ name }) => name),
    createdAt: pull.created_at,
    updatedAt: pull.updated_at,
    mergeability: 'unknown',
    repositoryId: String(pull.base.repo.id),
    // For an open pull request this is a trial merge, which is not on a branch.
    ...(merged && pull.merge_commit_sha != null ? { mergeSha: pull.merge_commit_sha } : {}),
  };
}

function details(pull: Full): PullRequestInfo {
  const info = summary(pull);
  const mergeability = info.state === 'open' ? mergeabilityOf(pull) : 'unknown';
  const mergedBy = pull.merged_by?.login;
  return { ...info, mergeability, mergedBy };
}

/**
 * Returns the mergeability of a pull request. `mergeable` is null until GitHub has tried the merge; `mergeable_state`
 * has more detail.
 */
function mergeabilityOf(pull: Full): Mergeability {
  if (pull.mergeable == null) return 'unknown';
  if (!pull.mergeable || pull.mergeable_state === 'dirty') return 'conflicting';
  if (pull.mergeable_state === 'behind') return 'behind';
  return pull.mergeable_state === 'blocked' || pull.mergeable_state === 'draft' ? 'blocked' : 'mergeable';
}
