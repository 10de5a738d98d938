import {
  ClusterScmProvider,
  CommitStatus,
  commitStatusAt,
  GitRepository,
  keyString,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  repositoryKey,
  RevertCommit,
  ScmProvider,
  type KubeObject,
  type ObjectKey,
  type RefersToRepository,
} from '@interlock/api';
import { controllerOf, type Cache, type Manager } from '@interlock/kube';
import { addRivalIndex } from './promotion-strategy/rival-index.js';
import type { StatusesOfCommit } from './promotion/statuses.js';
import { addRefIndex } from './repository/ref-index.js';
import { refsOfProposedCommit, refsOfRevert, refsOfStrategy } from './repository/refs.js';

const repositoryIndex = 'repository';
const commitIndex = 'commit';
const controllerIndex = 'controller';

/** The shared caches of the promoter. */
export type Caches = ReturnType<typeof createCaches>;

/** The kinds whose objects refer to a repository. */
export type Referring = PromotionStrategy | ProposedCommit | RevertCommit;

/** The caches of these objects, as far as they are searched by repository. */
export interface ReferringCaches {
  strategies: Pick<Cache<PromotionStrategy>, 'byIndex'>;
  proposedCommits: Pick<Cache<ProposedCommit>, 'byIndex'>;
  revertCommits: Pick<Cache<RevertCommit>, 'byIndex'>;
}

/** Returns the host of the repository that an object of a cache refers to; undefined if it is not known yet. */
export function hostOfReferring(
  cache: Pick<Cache<Referring>, 'get'>,
  repositories: { hostOf(key: ObjectKey): string | undefined },
): (key: ObjectKey) => string | undefined {
  return (key) => {
    const object = cache.get(key);
    return object && repositories.hostOf(repositoryKey(object));
  };
}

/** Returns the objects in the namespace of a key. */
export function inNamespaceOf<T extends KubeObject>(
  cache: Pick<Cache<T>, 'list'>,
  { namespace }: Pick<ObjectKey, 'namespace'>,
): T[] {
  return cache.list({ namespace });
}

/**
 * Returns the CommitStatuses in the namespace of a key by their commit, as they count at a time in milliseconds since the epoch. A
 * namespace may have tens of thousands.
 */
export function commitStatusesAt(
  { commitStatuses }: { commitStatuses: Pick<Cache<CommitStatus>, 'byIndex'> },
  { namespace }: ObjectKey,
  now: number,
): StatusesOfCommit {
  return (sha) =>
    commitStatuses
      .byIndex(commitIndex, keyString({ namespace, name: sha }))
      .map((status) => commitStatusAt(status, now));
}

/** Returns the PullRequests that name a repository, or that do not name a repository and may refer to this one. */
export function pullRequestsOf(
  { pullRequests }: { pullRequests: Pick<Cache<PullRequest>, 'byIndex'> },
  { namespace, name }: ObjectKey,
): PullRequest[] {
  return [name, ''].flatMap((one) =>
    pullRequests.byIndex(repositoryIndex, keyString({ namespace, name: one })),
  );
}

/** Returns the ProposedCommits that a strategy controls. */
export function childrenOfStrategy(
  { proposedCommits }: { proposedCommits: Pick<Cache<ProposedCommit>, 'byIndex'> },
  { metadata: { namespace, uid } }: PromotionStrategy,
): ProposedCommit[] {
  if (uid === undefined) return [];
  return proposedCommits.byIndex(controllerIndex, keyString({ namespace, name: uid }));
}

/** Creates the caches, with their indexes. Call it before the manager runs. */
export function createCaches(manager: Pick<Manager, 'cache'>) {
  const caches = {
    gitRepositories: manager.cache(GitRepository),
    strategies: manager.cache(PromotionStrategy),
    proposedCommits: manager.cache(ProposedCommit),
    pullRequests: manager.cache(PullRequest),
    revertCommits: manager.cache(RevertCommit),
    commitStatuses: manager.cache(CommitStatus),
    scmProviders: manager.cache(ScmProvider),
    clusterScmProviders: manager.cache(ClusterScmProvider),
  };
  for (const referring of [caches.strategies, caches.proposedCommits, caches.revertCommits])
    referring.addIndex(repositoryIndex, byRepository);
  addRefIndex(caches.strategies, refsOfStrategy);
  addRefIndex(caches.proposedCommits, refsOfProposedCommit);
  addRefIndex(caches.revertCommits, refsOfRevert);
  caches.pullRequests.addIndex(repositoryIndex, ({ metadata: { namespace }, spec }) => [
    keyString({ namespace, name: spec.repoRef?.name ?? '' }),
  ]);
  caches.proposedCommits.addIndex(controllerIndex, (object) => {
    const uid = controllerOf(object)?.uid;
    return uid === undefined ? [] : [keyString({ namespace: object.metadata.namespace, name: uid })];
  });
  addRivalIndex(caches.strategies);
  caches.commitStatuses.addIndex(commitIndex, ({ metadata: { namespace }, spec }) => [
    keyString({ namespace, name: spec.sha }),
  ]);
  return caches;
}

/** Returns the objects that refer to a GitRepository. */
export function referringTo<T extends Referring>(
  cache: Pick<Cache<T>, 'byIndex'>,
  repository: ObjectKey,
): T[] {
  return cache.byIndex(repositoryIndex, keyString(repository));
}

function byRepository(object: RefersToRepository): string[] {
  return [keyString(repositoryKey(object))];
}
