import {
  ClusterScmProvider,
  keyOf,
  repositoryKey,
  type AnyScmProvider,
  type GitRepository,
  type KubeObject,
  type ObjectKey,
  type PromotionStrategy,
} from '@interlock/api';
import { referringTo } from '../caches.js';
import { duplicatesByRemote, duplicatesOf, type RemoteNames } from '../repository/duplicates.js';
import { repositoriesUsing } from '../repository/watches.js';
import type { PromoterContext } from '../context.js';
import { rivalsAmong } from './rival-index.js';

type Sources = Pick<PromoterContext, 'caches' | 'registry'>;

/**
 * Returns the strategies that use the same remote as a strategy, through any GitRepository of the namespace, and may promote the
 * same branches.
 */
export function siblingsOf({ caches, registry }: Sources, strategy: PromotionStrategy): PromotionStrategy[] {
  const key = repositoryKey(strategy);
  return rivalsAmong(caches.strategies, duplicatesOf(key, remoteNames(caches, key), registry), strategy);
}

/**
 * Returns the strategies whose siblings a GitRepository in the given state, old or new, may have changed: of all GitRepositories of
 * its remote, if there are others.
 */
export function strategiesBeside(sources: Sources, repository: GitRepository): ObjectKey[] {
  const names = remoteNames(sources.caches, repository.metadata);
  const gitRepositories = withState(names.gitRepositories, repository);
  return strategiesOfDuplicates(sources, { ...names, gitRepositories }, [keyOf(repository)]);
}

/** Returns the strategies whose siblings a provider in the given state, old or new, may have changed. */
export function strategiesBesideUsers(sources: Sources, provider: AnyScmProvider): ObjectKey[] {
  const { caches } = sources;
  const users = repositoriesUsing(caches, provider);
  return [...new Set(users.map(({ namespace }) => namespace))].flatMap((namespace) => {
    const names = remoteNames(caches, { namespace });
    const changed =
      provider.kind === ClusterScmProvider.kind
        ? { clusterScmProviders: withState(names.clusterScmProviders, provider as ClusterScmProvider) }
        : { scmProviders: withState(names.scmProviders, provider) };
    const keys = users.filter((key) => key.namespace === namespace);
    return strategiesOfDuplicates(sources, { ...names, ...changed }, keys);
  });
}

function strategiesOfDuplicates(
  { caches, registry }: Sources,
  names: RemoteNames,
  changed: readonly ObjectKey[],
): ObjectKey[] {
  const isChanged = new Set(changed.map(({ name }) => name));
  return duplicatesByRemote(names, registry)
    .filter((group) => group.some(({ metadata }) => isChanged.has(metadata.name)))
    .flat()
    .flatMap((repository) => referringTo(caches.strategies, keyOf(repository)).map(keyOf));
}

function remoteNames(caches: Sources['caches'], { namespace }: Pick<ObjectKey, 'namespace'>): RemoteNames {
  return {
    gitRepositories: caches.gitRepositories.list({ namespace }),
    scmProviders: caches.scmProviders.list({ namespace }),
    clusterScmProviders: caches.clusterScmProviders.list(),
  };
}

/** Returns the objects, with one of them in the given state. */
function withState<T extends KubeObject>(objects: readonly T[], state: T): T[] {
  return [...objects.filter(({ metadata }) => metadata.name !== state.metadata.name), state];
}
