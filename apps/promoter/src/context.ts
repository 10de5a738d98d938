import type { Applier, Manager } from '@interlock/kube';
import type { ScmRegistry } from '@interlock/scm';
import type { Caches } from './caches.js';
import type { PromotionMetrics } from './promotion/metrics.js';
import type { StatusReaders } from './promotion/status-reads.js';
import type { Repositories } from './repository/repositories.js';

/** The dependencies that all controllers of the promoter share. */
export interface PromoterContext {
  manager: Manager;
  caches: Caches;
  repositories: Repositories;
  registry: Pick<ScmRegistry, 'remoteOf'>;
  applier: Applier;
  metrics: PromotionMetrics;
  statusReads: StatusReaders;
}
