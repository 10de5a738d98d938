import {
  ClusterScmProvider,
  GitRepository,
  keyOf,
  PromotionStrategy,
  ScmProvider,
  type KubeObject,
} from '@interlock/api';
import { generationChanged, type Cache } from '@interlock/kube';
import { sourcesOf } from './caches.js';
import type { Source } from './model.js';

/** Returns the watch that every source has: the status of the strategy contains the active commits. */
export function strategyWatch<S extends Source>(cache: Cache<S>) {
  return {
    kind: PromotionStrategy,
    map: (strategy: KubeObject) => sourcesOf(cache, keyOf(strategy)).map(keyOf),
  };
}

/**
 * Returns the watches of the objects that locate a strategy's repository. Except for a ClusterScmProvider, which all namespaces
 * may use, they are in its namespace, so that a tenant wakes no source of another tenant.
 */
export function repositoryWatches<S extends Source>(cache: Pick<Cache<S>, 'list'>) {
  return [GitRepository, ScmProvider, ClusterScmProvider].map((kind) => ({
    kind,
    predicate: generationChanged,
    map: ({ metadata }: KubeObject) => cache.list({ namespace: metadata.namespace }).map(keyOf),
  }));
}
