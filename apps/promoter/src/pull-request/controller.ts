import { isTyped, keyOf, keyString, PullRequest, type ObjectKey } from '@interlock/api';
import {
  ApiError,
  ensureFinalizer,
  LastingFailures,
  generationChanged,
  or,
  removeFinalizer,
  type ControllerHandle,
  type ReconcileContext,
  type ReconcileResult,
} from '@interlock/kube';
import { inNamespaceOf } from '../indexes.js';
import type { Shared } from '../shared.js';
import { isView, stands, type RepositoryView, type Unavailable } from '../repository/repositories.js';
import { act, MergeRefused, readPullRequest, type Call } from './act.js';
import { confirmMerge } from './confirm.js';
import {
  decidePullRequest,
  idOf,
  needsRead,
  nextResync,
  type PullRequestAction,
  type ScmView,
} from './decide.js';
import { readRequested, RequestedReads } from './requested-reads.js';
import { finalizer, hasEnded, isLeftOver, needsFinalizer } from './finalizer.js';
import { untilNextAttempt } from './merge-attempts.js';
import { originOf } from './origin.js';
import { isRejected } from './rejected.js';
import { forgottenStatus, leftNote, pullRequestStatus, type Outcome, type Source } from './status.js';
import { Turns } from './turns.js';

const mergeRetryMs = 30_000;
/** Reasons of refusals for which the pull request is read again: it is not what its status says. */
const notAsKnown: ReadonlySet<string> = new Set(['Retargeted', 'HeadMoved', 'NotOpen']);

/**
 * Adds the controller of PullRequests, the only caller of the SCM's pull request API. `refresh` asks for a look at a
 * repository.
 */
export function addPullRequestController(shared: Shared, refresh: ControllerHandle): ControllerHandle {
  const reconciler = new PullRequestReconciler(shared, refresh);
  return shared.manager.addController({
    name: 'pull-request',
    for: { kind: PullRequest, predicate: or(generationChanged, readRequested) },
    external: { hostOf: (key) => reconciler.hostOf(key) },
    reconcile: (key, context) => reconciler.reconcile(key, context),
  });
}

class PullRequestReconciler {
  /** The pull requests that are to be read whatever their status says. */
  private readonly asked = new Set<string>();
  private readonly merges = new Turns();
  private readonly requested = new RequestedReads();
  private readonly failures = new LastingFailures();

  constructor(
    private readonly shared: Shared,
    private readonly refresh: ControllerHandle,
  ) {}

  hostOf(key: ObjectKey): string | undefined {
    const pullRequest = this.shared.caches.pullRequests.get(key);
    const repository = pullRequest && this.repositoryOf(pullRequest);
    if (repository === undefined || 'reason' in repository) return undefined;
    return this.shared.repositories.hostOf(repository);
  }

  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const pullRequest = this.shared.caches.pullRequests.get(key);
    if (pullRequest === undefined) {
      this.requested.forget(key);
      this.asked.delete(keyString(key));
      this.failures.clear(keyString(key));
      return undefined;
    }
    if (this.requested.take(pullRequest)) this.asked.add(keyString(key));
    if (isLeftOver(pullRequest)) {
      await this.removeFinalizer(pullRequest);
      return { requeueAfterMs: 0 };
    }
    const repository = this.repositoryOf(pullRequest);
    if ('reason' in repository) return this.unavailable(pullRequest, repository, context.now);
    const view = this.shared.repositories.view(repository);
    if (!isView(view)) return this.unavailable(pullRequest, view, context.now);
    const name = keyString(key);
    try {
      const result = await this.step(pullRequest, repository, view, context);
      this.failures.clear(name);
      return result;
    } catch (error) {
      /* What the cluster refuses says nothing about the pull request, and its status may be newer than the cache. */
      if (!isTyped(error) || error instanceof ApiError) throw error;
      const { type, reason, message } = error;
      const passes = type === 'Transient' || type === 'RateLimited';
      if (passes && !this.failures.record(name, error, context.now)) throw error;
      const problem = { reason, message };
      if (!(error instanceof MergeRefused)) {
        await this.report(pullRequest, sourceOf(view), { problem }, context.now);
        throw error;
      }
      const merge = { sha: error.sha, state: 'Refused', reason, message } as const;
      const refused = await this.report(pullRequest, sourceOf(view), { problem, merge }, context.now);
      this.refresh.enqueue(repository);
      if (notAsKnown.has(reason)) this.asked.add(name);
      return { requeueAfterMs: reason === 'Retargeted' ? 0 : untilNextAttempt(refused, context.now) };
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
    const asked = this.asked.has(name);
    const seen = await this.see(call, plugin, now);
    this.asked.delete(name);

    const path = this.shared.caches.proposedCommits.get(keyOf(pullRequest))?.spec.activePath;
    const rejected = await isRejected(view.mirror.at(path), pullRequest, seen);
    const decided: PullRequestAction = rejected
      ? { type: 'none' }
      : decidePullRequest(pullRequest, plugin, seen);
    const waitMs = decided.type === 'merge' && !asked ? untilNextAttempt(pullRequest, now) : 0;
    const action: PullRequestAction = waitMs > 0 ? { type: 'none' } : decided;
    /* What the SCM refuses stays refused in the status until it is tried again. */
    const isStatusCurrent = pullRequest.status?.observedGeneration === pullRequest.metadata.generation;
    if (waitMs > 0 && seen === 'unread' && isStatusCurrent) return { requeueAfterMs: waitMs };
    if (action.type === 'forget') return this.forget(pullRequest, scm.webUrl(), now);
    if (action.type === 'release') return this.releaseUnseen(pullRequest, seen, scm.webUrl());
    const guarded = needsFinalizer(pullRequest, action, seen)
      ? await ensureFinalizer(this.shared.manager.client, PullRequest, pullRequest, finalizer)
      : pullRequest;
    const perform = async (): Promise<Outcome> =>
      (await this.heldBack(pullRequest, { repository, url: scm.webUrl() }, action, now, signal)) ??
      act(call, action, seen);
    /* A merge is decided by what the branch holds, so none may come between the decision and the merge. */
    const target = `${keyString(repository)}:${pullRequest.spec.targetBranch}`;
    const outcome = action.type === 'merge' ? await this.merges.take(target, perform) : await perform();
    if (pullRequest.metadata.deletionTimestamp !== undefined) return this.release(pullRequest, outcome);
    const stored = await this.report(guarded, sourceOf(view), outcome, now);
    if (outcome.info?.state === 'merged') this.refresh.enqueue(repository);
    if (hasEnded(guarded, plugin, { action, outcome }, stored.status ?? {})) {
      await this.removeFinalizer(stored);
    }
    const open = (outcome.info?.state ?? pullRequest.status?.state) === 'open';
    /* What comes after the text, or the queue, is decided with the status that says it was sent. */
    if (open && (action.type === 'ensure' || action.type === 'dequeue')) return { requeueAfterMs: 0 };
    /* One for another branch made room. */
    if (action.type === 'close' && pullRequest.spec.state === 'open') return { requeueAfterMs: 0 };
    if (!open) return undefined;
    const resyncMs = Math.max(nextResync(stored.status, now), mergeRetryMs);
    const attemptMs = untilNextAttempt(stored, now);
    return { requeueAfterMs: attemptMs > 0 ? Math.min(resyncMs, attemptMs) : resyncMs };
  }

  /** Returns the pull request at the SCM, as far as it has to be known. */
  private async see(call: Call, plugin: string, now: number): Promise<ScmView> {
    const { pullRequest, scm } = call;
    const origin = originOf(pullRequest.status, plugin, scm.webUrl());
    if (origin === 'other') return 'foreign';
    const id = idOf(pullRequest.status, plugin);
    const asked = this.asked.has(keyString(pullRequest.metadata));
    const read = origin === 'unknown' || needsRead(pullRequest, plugin, asked, now);
    return read && id !== undefined ? readPullRequest(call, id, origin) : 'unread';
  }

  /**
   * Leaves a pull request alone that is not ours. The finalizer goes first: it is there for that one, and with it one
   * that somebody else opened between the same branches would be taken for ours.
   */
  private async forget(pullRequest: PullRequest, url: string, now: number): Promise<ReconcileResult> {
    await this.removeFinalizer(pullRequest);
    await this.shared.statuses.write(PullRequest, pullRequest, forgottenStatus(pullRequest, url, now));
    this.recordLeft(pullRequest, url);
    return { requeueAfterMs: 0 };
  }

  private async releaseUnseen(pullRequest: PullRequest, seen: ScmView, url: string): Promise<undefined> {
    if (seen === 'foreign') this.recordLeft(pullRequest, url);
    return this.release(pullRequest);
  }

  private recordLeft(pullRequest: PullRequest, url: string): void {
    if (pullRequest.status?.state !== 'open') return;
    this.shared.statuses.done(pullRequest, 'PullRequestLeft', leftNote(pullRequest, url));
  }

  /** @returns the outcome when the rules no longer allow a merge; undefined when the action may go ahead. */
  private async heldBack(
    pullRequest: PullRequest,
    { repository, url }: { repository: ObjectKey; url: string },
    action: PullRequestAction,
    now: number,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    if (action.type !== 'merge') return undefined;
    const view = await this.shared.repositories.refresh(repository, signal);
    if (view.scm.webUrl() !== url) {
      const message = `not merged: the GitRepository names ${view.scm.webUrl()} now`;
      return { problem: { reason: 'RepositoryChanged', message } };
    }
    const { manager, registry } = this.shared;
    const reads = { client: manager.client, registry };
    const block = await confirmMerge(reads, view, pullRequest, action.sha, now);
    if (block === undefined) return undefined;
    this.refresh.enqueue(repository);
    return { problem: { reason: block.reason, message: `not merged: ${block.name}: ${block.message}` } };
  }

  /** What cannot be closed at the SCM any more is let go; what can be closed later is not. */
  private async unavailable(pullRequest: PullRequest, problem: Unavailable, now: number): Promise<undefined> {
    const { deletionTimestamp } = pullRequest.metadata;
    if (deletionTimestamp !== undefined && !problem.passing) return this.release(pullRequest);
    if (stands(pullRequest, problem)) return;
    await this.report(pullRequest, { plugin: '', url: '' }, { problem }, now);
  }

  /** @returns the repository that the pull request names, or the only one of its namespace. */
  private repositoryOf(pullRequest: PullRequest): ObjectKey | Unavailable {
    const { repoRef } = pullRequest.spec;
    const { namespace } = pullRequest.metadata;
    if (repoRef !== undefined) return { ...(namespace !== undefined && { namespace }), name: repoRef.name };
    const all = inNamespaceOf(this.shared.caches.gitRepositories, keyOf(pullRequest));
    const [only] = all;
    if (only !== undefined && all.length === 1) return keyOf(only);
    const message = `spec.repoRef.name: the namespace has ${all.length} GitRepositories; name one`;
    return { reason: 'RepositoryNotNamed', message, passing: false };
  }

  /** Returns the object with the status that is stored. */
  private async report(
    pullRequest: PullRequest,
    source: Source,
    outcome: Outcome,
    now: number,
  ): Promise<PullRequest> {
    const status = pullRequestStatus(pullRequest, source, outcome, now);
    const stored = await this.shared.statuses.write(PullRequest, pullRequest, status);
    this.record(pullRequest, outcome);
    return stored;
  }

  private record(pullRequest: PullRequest, outcome: Outcome): void {
    const event = transition(pullRequest, outcome);
    if (event !== undefined) this.shared.statuses.done(pullRequest, event.reason, event.note);
  }

  private async release(pullRequest: PullRequest, outcome: Outcome = {}): Promise<undefined> {
    this.record(pullRequest, outcome);
    await this.removeFinalizer(pullRequest);
  }

  private removeFinalizer(pullRequest: PullRequest): Promise<void> {
    return removeFinalizer(this.shared.manager.client, PullRequest, pullRequest, finalizer);
  }
}

function sourceOf({ plugin, scm }: RepositoryView): Source {
  return { plugin, url: scm.webUrl() };
}

/** @returns the event for a state at the SCM that was not known before. */
function transition(
  { spec, status }: PullRequest,
  { info }: Outcome,
): { reason: string; note: string } | undefined {
  if (info === undefined || info.state === status?.state) return undefined;
  const what = `${info.url} (${spec.sourceBranch} into ${spec.targetBranch})`;
  switch (info.state) {
    case 'open':
      return { reason: 'PullRequestOpened', note: `${what} is open` };
    case 'merged':
      return { reason: 'PullRequestMerged', note: `${what} was merged by ${info.mergedBy ?? 'somebody'}` };
    case 'closed':
      return { reason: 'PullRequestClosed', note: `${what} was closed by ${info.closedBy ?? 'somebody'}` };
  }
}
