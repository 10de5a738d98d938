import {
  ClusterScmProvider,
  fieldManagers,
  GitRepository,
  ScmProvider,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import {
  Applier,
  cachedReads,
  createOptionalCache,
  type EventRecorder,
  type Logger,
  type Manager,
  type OptionalCacheOptions,
} from '@interlock/kube';
import { RepositoryResolver, type ScmRegistry } from '@interlock/scm';
import { Application, trimApplication } from './argocd/application.js';
import { addArgoCDController } from './argocd/controller.js';
import { addCommitStatusController } from './commit-status/controller.js';
import { addFluxController } from './flux/controller.js';
import {
  FluxGitRepository,
  HelmRelease,
  Kustomization,
  trimGitRepository,
  trimWorkload,
} from './flux/objects.js';
import { addGarbageController } from './garbage/controller.js';
import type { Actor } from './sources/act.js';
import { createSourceCaches } from './sources/caches.js';
import { addTimedController } from './timed/controller.js';

export interface CommitStatusSyncOptions {
  manager: Manager;
  events: Pick<EventRecorder, 'recordTransitions'>;
  registry: ScmRegistry;
  log: Logger;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Milliseconds for which CommitStatuses out of use are kept; 0: for ever. */
  commitStatusTtlMs: number;
  /** Milliseconds between two looks for kinds that may be installed later. */
  discoveryIntervalMs?: number;
}

/** Adds the controllers of commit-status-sync to a manager. */
export function addCommitStatusSync(options: CommitStatusSyncOptions): void {
  const { manager, events, registry, commitStatusTtlMs } = options;
  const reads = cachedReads(manager.client, [
    manager.cache(GitRepository),
    manager.cache(ScmProvider),
    manager.cache(ClusterScmProvider),
  ]);
  addCommitStatusController(manager, new RepositoryResolver(reads, registry));
  const caches = createSourceCaches(manager);
  const actor: Actor = {
    client: manager.client,
    applier: new Applier(manager.client, fieldManagers.commitStatusSync),
    commitStatuses: caches.commitStatuses,
    events,
  };
  addArgoCDController(manager, actor, caches, optional(options, Application, trimApplication));
  addFluxController(manager, actor, caches, {
    kustomizations: optional(options, Kustomization, trimWorkload),
    helmReleases: optional(options, HelmRelease, trimWorkload),
    gitRepositories: optional(options, FluxGitRepository, trimGitRepository),
  });
  addTimedController(manager, actor, caches);
  if (commitStatusTtlMs > 0) addGarbageController(manager, commitStatusTtlMs);
}

/** A cache of a kind that need not be installed, run by the manager. */
function optional<T extends KubeObject>(
  { manager, log, random, discoveryIntervalMs }: CommitStatusSyncOptions,
  kind: Kind<T>,
  transform: NonNullable<OptionalCacheOptions<T>['transform']>,
) {
  const cache = createOptionalCache(
    manager.client,
    kind,
    { transform, ...(discoveryIntervalMs !== undefined && { lookIntervalMs: discoveryIntervalMs }) },
    { clock: manager.clock, random, log, metrics: manager.cacheMetrics },
  );
  manager.add(cache);
  return cache;
}
