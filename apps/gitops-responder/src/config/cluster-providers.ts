import { ClusterScmProvider } from '@interlock/api';
import type { Logger } from '@interlock/base';
import { createOptionalCache, type Manager } from '@interlock/kube';

/** The ClusterScmProviders, as far as they are known. */
export interface ClusterProviders {
  /** Returns undefined while it is not known which there are. */
  list(): readonly ClusterScmProvider[] | undefined;
  /** Reports that `list` may return something else. Call it before the manager runs. */
  onChange(handler: () => void): void;
}

/**
 * Returns the ClusterScmProviders, whose hosts the responder may reach, too. A cluster without the promoter may lack the
 * kind.
 */
export function followClusterProviders(
  manager: Manager,
  random: () => number,
  log: Logger,
): ClusterProviders {
  const dependencies = { clock: manager.clock, random, log };
  const cache = createOptionalCache(manager.client, ClusterScmProvider, {}, dependencies);
  manager.add(cache);
  return {
    list() {
      if (cache.availability === 'absent') return [];
      return cache.availability === 'ready' ? cache.list() : undefined;
    },
    onChange(handler) {
      cache.onAvailability(handler);
      cache.subscribe(handler);
    },
  };
}
