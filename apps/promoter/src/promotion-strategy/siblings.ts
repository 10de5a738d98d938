import { repositoryKey, type PromotionStrategy } from '@interlock/api';
import { inNamespaceOf, referringTo } from '../caches.js';
import { duplicatesOf } from '../repository/duplicates.js';
import type { PromoterContext } from '../context.js';

/** Returns the strategies that use the same remote as a strategy, through any GitRepository of the namespace. */
export function siblingsOf(
  { caches, registry }: Pick<PromoterContext, 'caches' | 'registry'>,
  strategy: PromotionStrategy,
): PromotionStrategy[] {
  const key = repositoryKey(strategy);
  const names = {
    gitRepositories: inNamespaceOf(caches.gitRepositories, key),
    scmProviders: inNamespaceOf(caches.scmProviders, key),
    clusterScmProviders: caches.clusterScmProviders.list(),
  };
  return duplicatesOf(key, names, registry).flatMap((one) => referringTo(caches.strategies, one));
}
