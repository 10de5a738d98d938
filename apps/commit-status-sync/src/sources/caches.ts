import {
  ArgoCDCommitStatus,
  ClusterScmProvider,
  CommitStatus,
  FluxCommitStatus,
  GitRepository,
  keyString,
  objectKey,
  PromotionStrategy,
  repositoryKey,
  ScmProvider,
  TimedCommitStatus,
  type ObjectKey,
} from '@interlock/api';
import { Problem, type OrProblem } from '@interlock/base';
import { controllerOf, type Cache, type Manager } from '@interlock/kube';
import { reportName } from './child.js';
import { activeEnvironments, type ObservedSource, type Source } from './model.js';
import { repositoryOf } from './repository.js';
import { scopeIndex, scopeValues } from './selector.js';

const strategyIndex = 'strategy';
const ownerIndex = 'owner';

/** The shared caches that all sources read. */
export type SourceCaches = ReturnType<typeof createSourceCaches>;

/** Creates the caches with their indexes. Call it before the manager runs. */
export function createSourceCaches(manager: Manager) {
  const caches = {
    strategies: manager.cache(PromotionStrategy),
    commitStatuses: manager.cache(CommitStatus),
    gitRepositories: manager.cache(GitRepository),
    scmProviders: manager.cache(ScmProvider),
    clusterScmProviders: manager.cache(ClusterScmProvider),
    argocd: manager.cache(ArgoCDCommitStatus),
    flux: manager.cache(FluxCommitStatus),
    timed: manager.cache(TimedCommitStatus),
  };
  for (const sources of [caches.argocd, caches.flux, caches.timed])
    sources.addIndex(strategyIndex, byStrategy);
  for (const selecting of [caches.argocd, caches.flux]) selecting.addIndex(scopeIndex, scopeValues);
  caches.commitStatuses.addIndex(ownerIndex, (status) => {
    const owner = controllerOf(status);
    return owner === undefined ? [] : [owner.uid];
  });
  return caches;
}

/** Returns the sources of a kind that report on a strategy; a name alone would mix up namespaces. */
export function sourcesOf<S extends Source>(cache: Cache<S>, strategy: ObjectKey): S[] {
  return cache.byIndex(strategyIndex, keyString(strategy));
}

/** Returns the state of a source besides the objects that it selects. */
export function observeSource<S extends Source>(caches: SourceCaches, source: S): ObservedSource<S> {
  const strategy = caches.strategies.get(strategyKey(source));
  const { uid = '', namespace } = source.metadata;
  const own = caches.commitStatuses.byIndex(ownerIndex, uid);
  const named = (strategy === undefined ? [] : activeEnvironments(strategy)).flatMap(({ branch }) => {
    const name = reportName(source, branch);
    return caches.commitStatuses.get(objectKey(namespace, name)) ?? [];
  });
  return { source, strategy, children: [...new Set([...own, ...named])] };
}

/** Returns `host/owner/name` of a strategy's repository, or why it is not known. */
export function repositoryOfStrategy(caches: SourceCaches, strategy: PromotionStrategy): OrProblem<string> {
  const key = repositoryKey(strategy);
  const { name } = key;
  const gitRepository = caches.gitRepositories.get(key);
  if (gitRepository === undefined) {
    const message = `GitRepository ${name} of PromotionStrategy ${strategy.metadata.name} does not exist; create it`;
    return new Problem('GitRepositoryNotFound', message);
  }
  const { kind, name: providerName } = gitRepository.spec.scmProviderRef;
  const provider =
    kind === 'ClusterScmProvider'
      ? caches.clusterScmProviders.get({ name: providerName })
      : caches.scmProviders.get(objectKey(key.namespace, providerName));
  const repository = provider && repositoryOf(gitRepository, provider);
  if (repository !== undefined) return repository;
  const message = `${kind} ${providerName} of GitRepository ${name} does not exist; create it`;
  return new Problem('ProviderNotFound', message);
}

/** Returns the key of the strategy that a source names, in its own namespace. */
export function strategyKey({ metadata, spec }: Source): ObjectKey {
  return objectKey(metadata.namespace, spec.promotionStrategyRef.name);
}

function byStrategy(source: Source): string[] {
  return [keyString(strategyKey(source))];
}
