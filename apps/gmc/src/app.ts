import { keyOf } from '@interlock/api';
import type { Logger } from '@interlock/base';
import { Applier, type Manager } from '@interlock/kube';
import type { Registry } from 'prom-client';
import type { TenantPolicy } from './admission/policy.js';
import { gmcCaches, type GmcCaches } from './caches.js';
import { addGatewayReconciler } from './gateway/reconciler.js';
import { ApiServerPorts } from './meta/api-server-ports.js';
import { GithubRangeReader } from './meta/github-ranges.js';
import { prometheusGmcMetrics } from './metrics.js';
import type { Installation } from './render/context.js';

interface GmcOptions {
  manager: Manager;
  log: Logger;
  /** Uniform in [0, 1). */
  random: () => number;
  installation: Installation;
  policy: TenantPolicy;
  /** The registry of the metrics. */
  metrics: Registry;
  /** Reads the networks of GitHub. */
  readRanges: (signal: AbortSignal) => Promise<readonly string[]>;
  /**
   * Networks that proxies may reach in addition to those of GitHub, such as the networks of a GitHub Enterprise Server or of
   * cache storage.
   */
  extraRanges: readonly string[];
}

/** Adds the reconciler of ActionsGateways and the reader of GitHub's networks to a manager. */
export function addGmc({
  manager,
  log,
  random,
  installation,
  policy,
  metrics: registry,
  readRanges,
  extraRanges,
}: GmcOptions): GmcCaches {
  const caches = gmcCaches(manager);
  const ranges = new GithubRangeReader({
    ...{ clock: manager.clock, log, random, read: readRanges, extra: extraRanges },
    onAttempt() {
      for (const gateway of caches.gateways.list()) gateways.enqueue(keyOf(gateway));
    },
  });
  const metrics = prometheusGmcMetrics(registry, {
    gateways: () => caches.gateways.list(),
    rangesFetchedAt: () => ranges.known?.fetchedAt,
    now: () => manager.clock.now(),
  });
  const apiServer = new ApiServerPorts({ client: manager.client, clock: manager.clock, log });
  const gateways = addGatewayReconciler({
    ...{ manager, log, caches, installation, policy, metrics },
    applier: new Applier(manager.client),
    githubRanges: () => ranges.known,
    apiServerPorts: () => apiServer.read(),
    areRangesAwaited: () => ranges.isAwaited,
  });
  manager.add(ranges);
  return caches;
}
