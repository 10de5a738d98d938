import {
  CommitStatus,
  keyOf,
  PromotionStrategy,
  PullRequest,
  RevertCommit,
  TypedError,
  type ObjectKey,
} from '@interlock/api';
import { branchRef } from '@interlock/git';
import {
  generationChanged,
  type ControllerHandle,
  type ReconcileContext,
  type ReconcileResult,
} from '@interlock/kube';
import { revertsReading, specOrLabelsChanged } from '../causes.js';
import { hostOfReferring, inNamespaceOf, referringTo, repositoryKey } from '../indexes.js';
import { short, type Problem } from '../promotion/model.js';
import { isView, requireView, stands, type RepositoryView } from '../repository/repositories.js';
import type { Shared } from '../shared.js';
import { actOnRevert, pushRevert } from './act.js';
import { revertPullRequestKey } from './children.js';
import { decideRevert } from './decide.js';
import { observeRevert } from './observe.js';

/** Adds the controller of RevertCommits. `refresh` asks for a look at a repository. */
export function addRevertCommitController(shared: Shared, refresh: ControllerHandle): ControllerHandle {
  const { caches } = shared;
  return shared.manager.addController({
    name: 'revert-commit',
    for: { kind: RevertCommit, predicate: generationChanged },
    owns: [{ kind: PullRequest }],
    watches: [
      {
        kind: CommitStatus,
        predicate: specOrLabelsChanged,
        map: (status: CommitStatus) => revertsReading(caches, status),
      },
      { kind: PromotionStrategy, map: (strategy: PromotionStrategy) => revertsReading(caches, strategy) },
    ],
    /* Two of one environment must not choose the same branch. */
    external: { hostOf: hostOfReferring(caches.revertCommits, shared.repositories), perTenant: 1 },
    reconcile: (key, context) => reconcile(shared, refresh, key, context),
  });
}

async function reconcile(
  shared: Shared,
  refresh: ControllerHandle,
  key: ObjectKey,
  { now, signal }: ReconcileContext,
): Promise<ReconcileResult | undefined> {
  const { caches, statuses } = shared;
  const revertCommit = caches.revertCommits.get(key);
  if (revertCommit === undefined || revertCommit.metadata.deletionTimestamp !== undefined) return undefined;
  const repository = repositoryKey(revertCommit);
  const reverts = referringTo(caches.revertCommits, repository);
  const view = await viewFor(shared, revertCommit, reverts, signal);
  if (stands(revertCommit, view)) return undefined;
  const observed = await observeRevert(
    {
      revertCommit,
      reverts,
      pullRequest: caches.pullRequests.get(revertPullRequestKey(revertCommit)),
      strategies: referringTo(caches.strategies, repository),
      commitStatuses: inNamespaceOf(caches.commitStatuses, key),
    },
    view,
  );
  const { build, ...decision } = decideRevert(observed, now);
  await actOnRevert(shared, revertCommit, decision);
  if (build !== undefined) {
    const sha = await pushRevert(requireView(view).mirror, build, signal);
    const note = `${short(sha)} on ${build.branch} puts the content of ${short(revertCommit.status?.target?.hydratedSHA)} on top of ${short(build.parent)}`;
    statuses.done(revertCommit, 'RevertCommitted', note);
    refresh.enqueue(repository);
  }
  const { requeueAfterMs } = decision;
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
}

/** What a revert takes back is what the environment runs now, not what it ran when last looked at. */
async function viewFor(
  { manager, repositories, caches }: Shared,
  revertCommit: RevertCommit,
  reverts: readonly RevertCommit[],
  signal: AbortSignal,
): Promise<RepositoryView | Problem> {
  const repository = repositoryKey(revertCommit);
  const view = repositories.view(repository, [branchRef(revertCommit.spec.activeBranch)]);
  const { target, state } = revertCommit.status ?? {};
  const isOver = state === 'Expired' || state === 'Superseded';
  if (!isView(view) || target !== undefined || isOver) return view;
  if (reverts.some((other) => manager.isStale(RevertCommit, keyOf(other), caches.revertCommits))) {
    throw new TypedError('Conflict', 'the branches of other RevertCommits are not known yet', {
      reason: 'StaleCache',
    });
  }
  return repositories.refresh(repository, signal);
}
