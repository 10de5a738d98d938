import { branchRef, TypedError } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { pullRequest, pullRequestCall } from '../http/call.js';
import { queryText } from '../query.js';
import type {
  LabelChange,
  MergeRequest,
  Mergeability,
  NewPullRequest,
  PullRequestChange,
  PullRequestComment,
  PullRequestInfo,
  PullRequestQuery,
} from '../scm.js';
import { isAncestor } from './history.js';
import { buildMerge, localLogin, mergeTrees } from './merge.js';
import { readRefs } from './objects.js';
import { openRef, type PullRecord } from './record.js';
import { allowsMethod, readRules } from './rules.js';
import type { LocalStatuses } from './statuses.js';
import type { LocalStore } from './store.js';
import { creating, replacing, timestamp, Views, type View } from './views.js';

/** Pull requests of one repository, kept in the repository itself. */
export class LocalPullRequests {
  readonly #views: Views;

  readonly #store: LocalStore;
  readonly #statuses: LocalStatuses;
  /** Returns the URL that represents a pull request. */
  readonly #urlOf: (id: number) => string;

  constructor(store: LocalStore, statuses: LocalStatuses, urlOf: (id: number) => string) {
    this.#store = store;
    this.#statuses = statuses;
    this.#urlOf = urlOf;

    this.#views = new Views(store);
  }

  find(query: PullRequestQuery, options?: CallOptions): Promise<PullRequestInfo[]> {
    return this.#store.read(pullRequestCall('list', 'read', options, queryText(query)), async (signal) => {
      const { views } = await this.#views.find(query, signal);
      return views.map((view) => this.#info(view));
    });
  }

  get(id: number, options?: CallOptions): Promise<PullRequestInfo> {
    return this.#store.read(pullRequestCall('get', 'read', options, pullRequest(id)), async (signal) => {
      const view = await this.#views.get(id, signal);
      return { ...this.#info(view), mergeability: await this.#mergeability(view, signal) };
    });
  }

  create(request: NewPullRequest, options?: CallOptions): Promise<PullRequestInfo> {
    const { head, base, title, body, draft = false } = request;
    const object = `pull request from ${head} to ${base}`;
    return this.#store.change(pullRequestCall('create', 'write', options, object), async (commit, signal) => {
      const { git, context } = this.#store;
      const { free: id, views } = await this.#views.find({ head, base, state: 'open' }, signal);
      if (views.length > 0) {
        throw new TypedError('Conflict', 'a pull request is already open', { reason: 'AlreadyExists' });
      }
      const refs = [branchRef(head), branchRef(base), openRef(head, base)] as const;
      const tips = await readRefs(git, refs, signal);
      const [headSha, baseSha, lock] = refs.map((ref) => tips.get(ref));
      if (headSha === undefined || baseSha === undefined) {
        const missing = headSha === undefined ? head : base;
        throw new TypedError('Invalid', `there is no branch ${missing}`, { reason: 'BranchMissing' });
      }
      if (await isAncestor(git, headSha, baseSha, signal)) {
        throw new TypedError('Invalid', `${base} has all commits of ${head}`, { reason: 'NoCommits' });
      }
      const now = timestamp(context.clock.now());
      const record: PullRecord = {
        head,
        base,
        title,
        body,
        draft,
        labels: [],
        comments: [],
        state: 'open',
        createdAt: now,
        updatedAt: now,
        baseSha,
      };
      const blob = await creating(this.#store, { id, record, lock }, commit, signal);
      return this.#info({ id, record, blob, head: headSha, base: baseSha, lock: blob });
    });
  }

  update(id: number, change: PullRequestChange, options?: CallOptions): Promise<PullRequestInfo> {
    return this.#edit(id, 'update', options, ({ record }) => ({
      title: change.title ?? record.title,
      body: change.body ?? record.body,
    }));
  }

  close(id: number, options?: CallOptions): Promise<PullRequestInfo> {
    return this.#edit(id, 'close', options, ({ record, head }) =>
      record.state === 'open' ? { state: 'closed', headSha: head, closedBy: localLogin } : undefined,
    );
  }

  async ensureLabels(
    id: number,
    { add = [], remove = [] }: LabelChange,
    options?: CallOptions,
  ): Promise<boolean> {
    let changed = false;
    await this.#edit(id, 'label', options, ({ record: { labels } }) => {
      const missing = add.filter((label) => !labels.includes(label));
      changed = missing.length > 0 || labels.some((label) => remove.includes(label));
      if (!changed) return undefined;
      return { labels: [...labels.filter((label) => !remove.includes(label)), ...new Set(missing)] };
    });
    return changed;
  }

  async ensureComment(
    id: number,
    { marker, body }: PullRequestComment,
    options?: CallOptions,
  ): Promise<boolean> {
    let changed = false;
    await this.#edit(id, 'comment', options, ({ record: { comments } }) => {
      changed = !comments.some((comment) => comment.body.includes(marker));
      return changed ? { comments: [...comments, { author: localLogin, body }] } : undefined;
    });
    return changed;
  }

  merge(id: number, request: MergeRequest, options?: CallOptions): Promise<{ mergeSha: string }> {
    const call = pullRequestCall('merge', 'critical', options, pullRequest(id));
    return this.#store.change(call, async (commit, signal) => {
      const { git, context } = this.#store;
      const view = await this.#views.get(id, signal);
      const { record, head, base } = view;
      if (record.state !== 'open' || head === undefined || base === undefined) {
        throw new TypedError('Conflict', `it is ${record.state}`, { reason: 'NotOpen' });
      }
      if (record.base !== request.base) {
        const message = `the base is ${record.base}, not ${request.base}`;
        throw new TypedError('Conflict', message, { reason: 'Retargeted' });
      }
      if (head !== request.headSha) {
        const message = `the head is ${head}, not ${request.headSha}`;
        throw new TypedError('Conflict', message, { reason: 'HeadMoved' });
      }
      await this.#requireRules(view, head, request, signal);
      const now = context.clock.now();
      const message = messageOf(id, record, request);
      const merge = { base, head, method: request.method, message, now };
      const mergeSha = await buildMerge(git, merge, signal);
      if (mergeSha === undefined) {
        throw new TypedError('Conflict', 'the branches conflict', { reason: 'MergeConflict' });
      }
      const merged: PullRecord = {
        ...record,
        state: 'merged',
        updatedAt: timestamp(now),
        headSha: head,
        mergeSha,
        mergedBy: localLogin,
      };
      const { changes } = await replacing(this.#store, view, merged, signal);
      await commit([
        { ref: branchRef(record.head), verify: head },
        { ref: branchRef(record.base), to: mergeSha, from: base },
        ...changes,
      ]);
      return { mergeSha };
    });
  }

  /** @param next returns the fields that change; undefined for none. */
  #edit(
    id: number,
    operation: string,
    options: CallOptions | undefined,
    next: (view: View) => Partial<PullRecord> | undefined,
  ): Promise<PullRequestInfo> {
    return this.#store.change(
      pullRequestCall(operation, 'write', options, pullRequest(id)),
      async (commit, signal) => {
        const view = await this.#views.get(id, signal);
        const fields = next(view);
        if (fields === undefined) return this.#info(view);
        const updatedAt = timestamp(this.#store.context.clock.now());
        const record = { ...view.record, ...fields, updatedAt };
        const { blob, changes } = await replacing(this.#store, view, record, signal);
        await commit(changes);
        return this.#info({ ...view, record, blob });
      },
    );
  }

  async #requireRules(
    { record }: View,
    head: string,
    { method }: MergeRequest,
    signal?: AbortSignal,
  ): Promise<void> {
    const rules = await readRules(this.#store.git, signal);
    if (!allowsMethod(rules, method)) {
      const message = `interlock.mergeMethod in the config of the repository does not allow ${method}`;
      throw new TypedError('Permanent', message, { reason: 'MergeMethodNotAllowed' });
    }
    const required = rules.requiredStatuses.get(record.base) ?? [];
    const missing = await this.#statuses.missing(head, required, signal);
    if (missing.length === 0 && !record.draft) return;
    const why = record.draft ? 'it is a draft' : `statuses that are not successful: ${missing.join(', ')}`;
    throw new TypedError('Conflict', why, { reason: 'Blocked' });
  }

  async #mergeability({ record, head, base }: View, signal?: AbortSignal): Promise<Mergeability> {
    if (record.state !== 'open' || head === undefined || base === undefined) return 'unknown';
    const { git } = this.#store;
    if ((await mergeTrees(git, base, head, signal)) === undefined) return 'conflicting';
    const required = (await readRules(git, signal)).requiredStatuses.get(record.base) ?? [];
    const missing = await this.#statuses.missing(head, required, signal);
    return missing.length > 0 || record.draft ? 'blocked' : 'mergeable';
  }

  #info({ id, record, head }: View): PullRequestInfo {
    const { title, body, state, draft, base, labels, createdAt, updatedAt } = record;
    const { mergeSha, mergedBy, closedBy } = record;
    return {
      id,
      url: this.#urlOf(id),
      title,
      body,
      state,
      draft,
      head: record.head,
      headSha: (state === 'open' ? head : record.headSha) ?? '',
      base,
      labels,
      createdAt,
      updatedAt,
      mergeability: 'unknown',
      ...(state === 'merged' ? { mergeSha, mergedBy } : {}),
      ...(state === 'closed' ? { closedBy } : {}),
    };
  }
}

function messageOf(id: number, { title, body, head }: PullRecord, request: MergeRequest): string {
  const merges = request.method === 'merge';
  const subject =
    request.commitTitle ?? (merges ? `Merge pull request #${id} from ${head}` : `${title} (#${id})`);
  const text = request.commitMessage ?? (merges ? title : body);
  return `${subject}\n\n${text}`.trimEnd();
}
