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

/** Returns the watch that every source has: what is active is in the status of its strategy. */
export function strategyWatch<S extends Source>(cache: Cache<S>) {
  return {
    kind: PromotionStrategy,
    map: (strategy: KubeObject) => sourcesOf(cache, keyOf(strategy)).map(keyOf),
  };
}

/** Returns watches of what says where a strategy's repository is; they change so rarely that they wake all sources. */
export function repositoryWatches<S extends Source>(cache: Cache<S>) {
  return [GitRepository, ScmProvider, ClusterScmProvider].map((kind) => ({
    kind,
    predicate: generationChanged,
    map: () => cache.list().map(keyOf),
  }));
}
