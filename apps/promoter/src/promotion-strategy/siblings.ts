import { repositoryKey, type PromotionStrategy } from '@interlock/api';
import { inNamespaceOf, referringTo } from '../indexes.js';
import { duplicatesOf } from '../repository/duplicates.js';
import type { Shared } from '../shared.js';

/** Returns the strategies of the remote of a strategy, whatever GitRepository of the namespace names it. */
export function siblingsOf(
  { caches, registry }: Pick<Shared, 'caches' | 'registry'>,
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
