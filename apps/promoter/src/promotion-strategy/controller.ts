import {
  ClusterScmProvider,
  CommitStatus,
  GitRepository,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  ScmProvider,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { generationChanged, isControlledBy, or, type ControllerHandle } from '@interlock/kube';
import { rejectionChanged, specOrLabelsChanged, strategiesReading, unmergedChanged } from '../causes.js';
import { hostOfReferring, inNamespaceOf, referringTo, repositoryKey } from '../indexes.js';
import { duplicatesOf } from '../repository/duplicates.js';
import { stands } from '../repository/repositories.js';
import { refsOfStrategy } from '../repository/wanted.js';
import type { Shared } from '../shared.js';
import { actOnStrategy } from './act.js';
import { decideStrategy } from './decide.js';
import { observeStrategy } from './observe.js';

/** Returns the strategies of the remote of a strategy, whatever GitRepository of the namespace names it. */
function siblingsOf({ caches, registry }: Shared, strategy: PromotionStrategy): PromotionStrategy[] {
  const key = repositoryKey(strategy);
  const names = {
    gitRepositories: inNamespaceOf(caches.gitRepositories, key),
    scmProviders: inNamespaceOf(caches.scmProviders, key),
    clusterScmProviders: caches.clusterScmProviders.list(),
  };
  return duplicatesOf(key, names, registry).flatMap((one) => referringTo(caches.strategies, one));
}

/** Adds the controller of PromotionStrategies. Refreshes of a repository reach it through the handle. */
export function addStrategyController(shared: Shared): ControllerHandle {
  const { manager, caches, repositories, metrics } = shared;
  const strategiesBeside = ({ metadata: { namespace } }: KubeObject): ObjectKey[] =>
    caches.strategies.list(namespace === undefined ? {} : { namespace }).map(keyOf);
  return manager.addController({
    name: 'promotion-strategy',
    for: { kind: PromotionStrategy, predicate: generationChanged },
    owns: [{ kind: ProposedCommit, predicate: or(generationChanged, rejectionChanged, unmergedChanged) }],
    watches: [
      {
        kind: PromotionStrategy,
        predicate: generationChanged,
        map: (other: PromotionStrategy) => siblingsOf(shared, other).map(keyOf),
      },
      {
        kind: CommitStatus,
        predicate: specOrLabelsChanged,
        map: (status: CommitStatus) => strategiesReading(caches, status),
      },
      { kind: RevertCommit, map: (revert: RevertCommit) => strategiesReading(caches, revert) },
      /* Which strategies share a remote may be another. */
      { kind: GitRepository, predicate: generationChanged, map: strategiesBeside },
      { kind: ScmProvider, predicate: generationChanged, map: strategiesBeside },
      { kind: ClusterScmProvider, predicate: generationChanged, map: strategiesBeside },
    ],
    external: { hostOf: hostOfReferring(caches.strategies, repositories) },
    reconcile: async (key, { now }) => {
      const strategy = caches.strategies.get(key);
      if (strategy === undefined) {
        metrics.forget(key);
        return undefined;
      }
      if (strategy.metadata.deletionTimestamp !== undefined) return undefined;
      const repository = repositoryKey(strategy);
      const view = repositories.view(repository, refsOfStrategy(strategy));
      if (stands(strategy, view)) return undefined;
      const observed = await observeStrategy(
        {
          strategy,
          children: inNamespaceOf(caches.proposedCommits, key).filter((child) =>
            isControlledBy(child, strategy),
          ),
          siblings: siblingsOf(shared, strategy),
          commitStatuses: inNamespaceOf(caches.commitStatuses, key),
          reverts: referringTo(caches.revertCommits, repository),
        },
        view,
      );
      const decision = decideStrategy(observed, now);
      await actOnStrategy(shared, strategy, decision);
      const { requeueAfterMs } = decision;
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    },
  });
}
