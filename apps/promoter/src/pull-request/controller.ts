import {
  fieldManagers,
  finalizers,
  isTyped,
  keyOf,
  keyString,
  PullRequest,
  type ObjectKey,
} from '@interlock/api';
import {
  applyStatus,
  ensureFinalizer,
  generationChanged,
  removeFinalizer,
  type ControllerHandle,
  type Manager,
  type ReconcileContext,
  type ReconcileResult,
} from '@interlock/kube';
import { repositoryKey, type Caches } from '../indexes.js';
import { isView, type Repositories, type RepositoryView } from '../repository/repositories.js';
import type { Problem } from '../promotion/model.js';
import { act, MergeRefused, readPullRequest } from './act.js';
import { confirmMerge } from './confirm.js';
import { decidePullRequest, idOf, needsRead, nextResync, type PullRequestAction } from './decide.js';
import { pullRequestStatus, type Outcome } from './status.js';

const mergeRetryMs = 30_000;

export interface PullRequestControllerOptions {
  caches: Caches;
  repositories: Repositories;
  /** Asks for a look at a repository. */
  refresh: ControllerHandle;
}

/** A handle that also says: the state at the SCM may have changed, look. */
export interface PullRequestHandle {
  look(key: ObjectKey): void;
  enqueue(key: ObjectKey): void;
}

/** Adds the controller of PullRequests, the only caller of the SCM's pull request API. */
export function addPullRequestController(
  manager: Manager,
  options: PullRequestControllerOptions,
): PullRequestHandle {
  const asked = new Set<string>();
  const reconciler = new PullRequestReconciler(manager, options, asked);
  const handle = manager.addController({
    name: 'pull-request',
    for: { kind: PullRequest, predicate: generationChanged },
    reconcile: (key, context) => reconciler.reconcile(key, context),
  });
  return {
    enqueue: (key) => {
      handle.enqueue(key);
    },
    look: (key) => {
      asked.add(keyString(key));
      handle.enqueue(key);
    },
  };
}

class PullRequestReconciler {
  constructor(
    private readonly manager: Manager,
    private readonly options: PullRequestControllerOptions,
    private readonly asked: Set<string>,
  ) {}

  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const pullRequest = this.options.caches.pullRequests.get(key);
    if (pullRequest === undefined) return undefined;
    const repository = this.repositoryOf(pullRequest);
    const view = 'reason' in repository ? repository : this.options.repositories.view(repository);
    if ('reason' in repository || !isView(view)) {
      if (pullRequest.metadata.deletionTimestamp !== undefined) return this.release(pullRequest);
      return this.report(pullRequest, '', { problem: view as Problem }, context.now);
    }
    try {
      return await this.step(pullRequest, repository, view, context);
    } catch (error) {
      if (!isTyped(error) || error.type === 'Transient' || error.type === 'RateLimited') throw error;
      const problem = { reason: error.reason, message: error.message };
      await this.report(pullRequest, view.plugin, { problem }, context.now);
      if (!(error instanceof MergeRefused)) throw error;
      this.options.refresh.enqueue(repository);
      return { requeueAfterMs: mergeRetryMs };
    }
  }

  private async step(
    pullRequest: PullRequest,
    repository: ObjectKey,
    view: RepositoryView,
    { now, signal }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { plugin, scm } = view;
    const name = keyString(pullRequest.metadata);
    const call = { scm, pullRequest, signal };
    const id = idOf(pullRequest.status, plugin);
    const read = needsRead(pullRequest, plugin, this.asked.has(name), now);
    const seen = read && id !== undefined ? await readPullRequest(call, id) : 'unread';
    this.asked.delete(name);

    const action = decidePullRequest(pullRequest, plugin, seen);
    if (action.type === 'release') return this.release(pullRequest);
    if (action.type === 'ensure') {
      await ensureFinalizer(this.manager.client, PullRequest, pullRequest, finalizers.pullRequest);
    }
    const outcome =
      (await this.heldBack(pullRequest, repository, action, now, signal)) ?? (await act(call, action, seen));
    await this.report(pullRequest, plugin, outcome, now);
    if (outcome.info?.state === 'merged') this.options.refresh.enqueue(repository);
    const open = (outcome.info?.state ?? pullRequest.status?.state) === 'open';
    return open ? { requeueAfterMs: Math.max(nextResync(pullRequest.status, now), mergeRetryMs) } : undefined;
  }

  /** @returns the outcome when the rules no longer allow a merge; undefined when the action may go ahead. */
  private async heldBack(
    pullRequest: PullRequest,
    repository: ObjectKey,
    action: PullRequestAction,
    now: number,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    if (action.type !== 'merge') return undefined;
    const { view } = await this.options.repositories.refresh(repository, signal);
    const block = await confirmMerge(this.manager.client, view, pullRequest, action.sha, now);
    if (block === undefined) return undefined;
    this.options.refresh.enqueue(repository);
    return { problem: { reason: block.reason, message: `not merged: ${block.name}: ${block.message}` } };
  }

  /** @returns the repository that the pull request names, or the only one of its namespace. */
  private repositoryOf(pullRequest: PullRequest): ObjectKey | Problem {
    const named = repositoryKey(pullRequest);
    if (named !== undefined) return named;
    const { namespace } = pullRequest.metadata;
    const all = this.options.caches.gitRepositories.list(namespace === undefined ? {} : { namespace });
    const [only] = all;
    if (only !== undefined && all.length === 1) return keyOf(only);
    const message = `spec.repoRef.name: the namespace has ${all.length} GitRepositories; name one`;
    return { reason: 'RepositoryNotNamed', message };
  }

  private async report(
    pullRequest: PullRequest,
    plugin: string,
    outcome: Outcome,
    now: number,
  ): Promise<undefined> {
    const status = pullRequestStatus(pullRequest, plugin, outcome, now);
    await applyStatus(this.manager.client, PullRequest, pullRequest, status, {
      fieldManager: fieldManagers.promoter,
    });
  }

  private async release(pullRequest: PullRequest): Promise<undefined> {
    await removeFinalizer(this.manager.client, PullRequest, pullRequest, finalizers.pullRequest);
  }
}
