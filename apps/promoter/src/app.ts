import { keyOf, type ObjectKey } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { Git } from '@interlock/git';
import { Applier, cachedReads, type Manager } from '@interlock/kube';
import { RepositoryResolver, WebhookSecrets, type AccountHealth, type ScmRegistry } from '@interlock/scm';
import { createCaches, pullRequestsOf } from './caches.js';
import { addProposedCommitReconciler } from './proposed-commit/reconciler.js';
import { addStrategyReconciler } from './promotion-strategy/reconciler.js';
import { addPullRequestReconciler } from './pull-request/reconciler.js';
import { wakeDependents, wakeReaders, type Dependents } from './repository/dependents.js';
import { rememberRemotes } from './repository/duplicates.js';
import { addGitRepositoryReconciler } from './repository/reconciler.js';
import { Repositories, type RepositoryChange } from './repository/repositories.js';
import { addValidityTimers } from './repository/validity.js';
import { addRevertCommitReconciler } from './revert-commit/reconciler.js';
import type { PromotionMetrics } from './promotion/metrics.js';
import { createStatusReaders } from './promotion/status-reads.js';
import { oldestWaits } from './promotion/waits.js';
import { addScmProviderReconcilers } from './scm-provider/reconciler.js';
import type { PromoterContext } from './context.js';
import { isRequiredRef, requiredRefs } from './repository/required-refs.js';
import type { WebhookDependencies } from './webhook/handler.js';
import { ReadRequests } from './webhook/read-requests.js';

interface PromoterOptions {
  manager: Manager;
  git: Git;
  registry: ScmRegistry;
  /** The health of the accounts, from the results of their calls. */
  health: AccountHealth;
  metrics: PromotionMetrics;
  log: Logger;
  /** Milliseconds between two reads of a remote for which no webhook arrives. */
  pollIntervalMs: number;
  /** Uniform in [0, 1). */
  random: () => number;
}

/** Adds the controllers of the promoter to a manager. Returns what the webhook server needs. */
export function addPromoter(options: PromoterOptions): WebhookDependencies {
  const { manager, git, registry, health, metrics, pollIntervalMs, random, log } = options;
  const caches = createCaches(manager);
  metrics.observeWaits(() => oldestWaits(caches.proposedCommits.list(), manager.clock.now()));
  const reads = cachedReads(manager.client, [
    caches.gitRepositories,
    caches.scmProviders,
    caches.clusterScmProviders,
  ]);
  const resolver = new RepositoryResolver(reads, registry);
  /* Each reconciler wakes others, so the handles exist before any of them runs. */
  const handles: { dependents?: Dependents } = {};
  const dependents = (): Dependents => {
    if (handles.dependents === undefined) throw new Error('the promoter is not fully assembled yet');
    return handles.dependents;
  };
  const wake = (key: ObjectKey, change: RepositoryChange = 'all'): void =>
    wakeDependents(caches, dependents(), key, change);
  const repositories = new Repositories(
    resolver,
    git,
    caches.gitRepositories,
    (key) => requiredRefs(caches, key),
    wake,
  );
  const statusReads = createStatusReaders();
  const promoter: PromoterContext = {
    manager,
    caches,
    repositories,
    registry: rememberRemotes(registry),
    applier: new Applier(manager.client),
    metrics,
    statusReads,
  };
  addScmProviderReconcilers(manager, { resolver, health, pollIntervalMs });
  const refresh = addGitRepositoryReconciler(promoter, { pollIntervalMs, random, wake });
  handles.dependents = {
    strategies: addStrategyReconciler(promoter),
    proposedCommits: addProposedCommitReconciler(promoter, refresh),
    reverts: addRevertCommitReconciler(promoter, refresh),
    pullRequests: addPullRequestReconciler(promoter, refresh),
  };
  addValidityTimers(manager, caches.commitStatuses, (status) =>
    wakeReaders(caches, statusReads, dependents(), status),
  );
  return {
    registry,
    resolver,
    gitRepositories: caches.gitRepositories,
    scmProviders: caches.scmProviders,
    clusterScmProviders: caches.clusterScmProviders,
    secrets: new WebhookSecrets(() => manager.clock.monotonic()),
    requests: new ReadRequests(manager.client, manager.clock, log),
    isRequiredRef: (key, ref) => isRequiredRef(caches, key, ref),
    pullRequestsOf: (repository) => pullRequestsOf(caches, keyOf(repository)),
    log,
  };
}
