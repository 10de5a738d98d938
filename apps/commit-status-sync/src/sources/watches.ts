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
 * Returns the watches of the objects that locate a strategy's repository; they change so rarely that each change wakes all
 * sources.
 */
export function repositoryWatches<S extends Source>(cache: Cache<S>) {
  return [GitRepository, ScmProvider, ClusterScmProvider].map((kind) => ({
    kind,
    predicate: generationChanged,
    map: () => cache.list().map(keyOf),
  }));
}
