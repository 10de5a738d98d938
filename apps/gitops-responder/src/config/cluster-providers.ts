import { ClusterScmProvider } from '@interlock/api';
import type { Logger } from '@interlock/base';
import { createOptionalCache, type Manager } from '@interlock/kube';

/** The ClusterScmProviders, as far as they are known. */
interface ClusterProviders {
  /** Returns the ClusterScmProviders; undefined until they are known. */
  list(): readonly ClusterScmProvider[] | undefined;
  /** Registers a handler for changes of `list`. Call it before the manager runs. */
  onChange(handler: () => void): void;
}

/**
 * Returns the ClusterScmProviders, whose hosts the responder may reach, too. The kind may be absent in a cluster without the
 * promoter.
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
