import {
  CommitStatus,
  conditions,
  keyOf,
  repositoryKey,
  type KubeObject,
  type ObjectKey,
  type PromotionStrategy,
  type ProposedCommit,
  type RevertCommit,
} from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import {
  isControlledBy,
  isTrue,
  specOrLabelsChanged,
  type Cache,
  type Predicate,
  type WatchSource,
} from '@interlock/kube';
import { inNamespaceOf, referringTo, type ReferringCaches } from './caches.js';
import { isReadFor, ownerStrategy } from './promotion/statuses.js';
import type { StatusReads } from './promotion/status-reads.js';
import { activePathOf } from './promotion/strategy-spec.js';
import type { HealthyCommit } from './promotion-strategy/last-healthy.js';
import { unmergedBecause } from './promotion-strategy/unmerged.js';
import { revertStatusKey } from './revert-commit/children.js';

type Listed<T extends KubeObject> = Pick<Cache<T>, 'list'>;

/**
 * Returns the watch of CommitStatuses: changes by reporters wake the objects; changes of the status, which
 * commit-status-sync writes, do not.
 */
export function commitStatusWatch(map: (status: CommitStatus) => ObjectKey[]): WatchSource<KubeObject> {
  return { kind: CommitStatus, predicate: specOrLabelsChanged, map };
}

/** Passes when a user closes the pull request of a proposed commit, or when it proposes another commit. */
export const rejectionChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'updated' || isRejected(event.old) !== isRejected(event.object);

/** Passes when the response of the SCM to the merge of a proposed commit changes. */
export const unmergedChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'updated' || unmergedMessage(event.old) !== unmergedMessage(event.object);

function unmergedMessage(object: KubeObject): string | undefined {
  return unmergedBecause(object as ProposedCommit)?.message;
}

function isRejected(object: KubeObject): boolean {
  const { status } = object as ProposedCommit;
  return isTrue(status?.conditions, conditions.rejected);
}

/** Returns the strategies that read a RevertCommit: those of its environment, and the strategy that created it. */
export function strategiesReading(
  { strategies }: Pick<ReferringCaches, 'strategies'>,
  revert: RevertCommit,
): ObjectKey[] {
  return referringTo(strategies, repositoryKey(revert))
    .filter((strategy) => isControlledBy(revert, strategy) || hasEnvironmentOf(strategy, revert))
    .map(keyOf);
}

function hasEnvironmentOf(strategy: PromotionStrategy, { spec }: RevertCommit): boolean {
  return strategy.spec.environments.some(
    (environment) =>
      environment.branch === spec.activeBranch && activePathOf(strategy, environment) === spec.activePath,
  );
}

/** Returns the proposed commits that read a RevertCommit: those of its environment. */
export function proposedCommitsReading(
  { proposedCommits }: Pick<ReferringCaches, 'proposedCommits'>,
  revert: RevertCommit,
): ObjectKey[] {
  const { activeBranch, activePath } = revert.spec;
  return referringTo(proposedCommits, repositoryKey(revert))
    .filter(({ spec }) => spec.activeBranch === activeBranch && spec.activePath === activePath)
    .map(keyOf);
}

/**
 * Returns the strategies that read a CommitStatus. It concerns its commit, whichever GitRepository of the namespace it names: several
 * of them may name one remote.
 */
export function strategiesOf(
  { strategies }: { strategies: Listed<PromotionStrategy> },
  reads: Pick<StatusReads, 'isReader'>,
  status: CommitStatus,
): ObjectKey[] {
  return inNamespaceOf(strategies, status.metadata)
    .filter((strategy) => reads.isReader(strategy, status))
    .filter(({ spec, metadata: strategy }) =>
      spec.environments.some(({ branch }) => isReadFor(status, { branch, strategy })),
    )
    .map(keyOf);
}

/** Returns the proposed commits that read a CommitStatus, like {@link strategiesOf}. */
export function proposedCommitsOf(
  { proposedCommits }: { proposedCommits: Listed<ProposedCommit> },
  reads: Pick<StatusReads, 'isReader'>,
  status: CommitStatus,
): ObjectKey[] {
  return inNamespaceOf(proposedCommits, status.metadata)
    .filter((object) => reads.isReader(object, status))
    .filter((object) =>
      isReadFor(status, { branch: object.spec.activeBranch, strategy: ownerStrategy(object) }),
    )
    .map(keyOf);
}

/** Returns the reverts that read a CommitStatus, like {@link strategiesOf}, or that need its name for their own one. */
export function revertsOf(
  { revertCommits }: { revertCommits: Listed<RevertCommit> },
  reads: Pick<StatusReads, 'isReader'>,
  status: CommitStatus,
): ObjectKey[] {
  return inNamespaceOf(revertCommits, status.metadata)
    .filter(
      (revert) => reads.isReader(revert, status) || revertStatusKey(revert).name === status.metadata.name,
    )
    .map(keyOf);
}

/** Passes when the commits change that a strategy recorded as healthy, from which a revert chooses its target. */
export const healthyChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'updated' || !semanticEqual(healthyIn(event.old), healthyIn(event.object));

function healthyIn(object: KubeObject): (string | HealthyCommit)[][] {
  const { environments = [] } = (object as PromotionStrategy).status ?? {};
  return environments.map(({ branch, lastHealthyDrySHAs = [] }) => [branch, ...lastHealthyDrySHAs]);
}

/** Returns the reverts that read the spec of a strategy: those of its branches, because strategies may share a branch. */
export function revertsBeside(
  { revertCommits }: Pick<ReferringCaches, 'revertCommits'>,
  strategy: PromotionStrategy,
): ObjectKey[] {
  const branches = new Set(strategy.spec.environments.map(({ branch }) => branch));
  return referringTo(revertCommits, repositoryKey(strategy))
    .filter(({ spec }) => branches.has(spec.activeBranch))
    .map(keyOf);
}

/** Returns the reverts that read the status of a strategy: those of its environments. */
export function revertsOfStrategy(
  { revertCommits }: Pick<ReferringCaches, 'revertCommits'>,
  strategy: PromotionStrategy,
): ObjectKey[] {
  return referringTo(revertCommits, repositoryKey(strategy))
    .filter((revert) => hasEnvironmentOf(strategy, revert))
    .map(keyOf);
}
