import type { Logger } from '@interlock/base';
import type { Applier, Manager } from '@interlock/kube';
import type { TenantPolicy } from './admission/policy.js';
import type { GmcCaches } from './caches.js';
import type { GithubRanges } from './gateway/observed.js';
import type { GmcMetrics } from './metrics.js';
import type { Installation } from './render/context.js';

/** Dependencies of the reconciler of gateways. */
export interface GmcContext {
  manager: Manager;
  log: Logger;
  caches: GmcCaches;
  applier: Applier;
  installation: Installation;
  policy: TenantPolicy;
  metrics: GmcMetrics;
  /** The networks of GitHub; undefined before the first response. */
  githubRanges: () => GithubRanges | undefined;
  /** Returns the ports of the API server; undefined before the first answer. */
  apiServerPorts: () => Promise<readonly number[] | undefined>;
  /** Whether the first attempt to read the networks of GitHub is still running. */
  areRangesAwaited: () => boolean;
}
