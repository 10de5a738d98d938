import { ClusterScmProvider, GitRepository, ScmProvider, type Kind, type KubeObject } from '@interlock/api';
import type { Logger } from '@interlock/base';
import { cachedReads, createOptionalCache, type Manager, type OptionalCacheOptions } from '@interlock/kube';
import { RepositoryResolver, type ScmRegistry } from '@interlock/scm';
import { Application, trimApplication } from './argocd/application.js';
import { addArgoCDReconciler } from './argocd/reconciler.js';
import { addCommitStatusReconciler } from './commit-status/reconciler.js';
import { addFluxReconciler } from './flux/reconciler.js';
import {
  FluxGitRepository,
  HelmRelease,
  Kustomization,
  trimGitRepository,
  trimWorkload,
} from './flux/objects.js';
import { addGarbageReconciler } from './garbage/reconciler.js';
import { createSourceCaches } from './sources/caches.js';
import { addTimedReconciler } from './timed/reconciler.js';

export interface CommitStatusSyncOptions {
  manager: Manager;
  registry: ScmRegistry;
  log: Logger;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Milliseconds for which unused CommitStatuses are kept; 0 keeps them forever. */
  commitStatusTtlMs: number;
  /** Milliseconds between two checks for kinds that may be installed later. */
  discoveryIntervalMs?: number | undefined;
}

/** Adds the reconcilers of commit-status-sync to a manager. */
export function addCommitStatusSync(options: CommitStatusSyncOptions): void {
  const { manager, registry, commitStatusTtlMs } = options;
  const reads = cachedReads(manager.client, [
    manager.cache(GitRepository),
    manager.cache(ScmProvider),
    manager.cache(ClusterScmProvider),
  ]);
  addCommitStatusReconciler(manager, new RepositoryResolver(reads, registry));
  const caches = createSourceCaches(manager);
  addArgoCDReconciler(manager, caches, optional(options, Application, trimApplication));
  addFluxReconciler(manager, caches, {
    kustomizations: optional(options, Kustomization, trimWorkload),
    helmReleases: optional(options, HelmRelease, trimWorkload),
    gitRepositories: optional(options, FluxGitRepository, trimGitRepository),
  });
  addTimedReconciler(manager, caches);
  if (commitStatusTtlMs > 0) addGarbageReconciler(manager, commitStatusTtlMs);
}

/** Returns a cache of a kind that need not be installed. The manager runs the cache. */
function optional<T extends KubeObject>(
  { manager, log, random, discoveryIntervalMs }: CommitStatusSyncOptions,
  kind: Kind<T>,
  transform: NonNullable<OptionalCacheOptions<T>['transform']>,
) {
  const cache = createOptionalCache(
    manager.client,
    kind,
    { transform, checkIntervalMs: discoveryIntervalMs },
    { clock: manager.clock, random, log, metrics: manager.cacheMetrics },
  );
  manager.add(cache);
  return cache;
}
