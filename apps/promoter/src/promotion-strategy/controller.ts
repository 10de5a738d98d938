import { CommitStatus, keyOf, PromotionStrategy, ProposedCommit, RevertCommit } from '@interlock/api';
import { generationChanged, isControlledBy, or, type ControllerHandle } from '@interlock/kube';
import { rejectionChanged, specOrLabelsChanged, strategiesReading, unmergedChanged } from '../causes.js';
import { hostOfReferring, inNamespaceOf, referringTo, repositoryKey, type Caches } from '../indexes.js';
import { duplicatesOf } from '../repository/duplicates.js';
import { stands } from '../repository/repositories.js';
import { refsOfStrategy } from '../repository/wanted.js';
import type { Shared } from '../shared.js';
import { actOnStrategy } from './act.js';
import { decideStrategy } from './decide.js';
import { observeStrategy } from './observe.js';

/** Returns the strategies of the repository of a strategy, whatever GitRepository of the namespace names it. */
function siblingsOf(caches: Caches, strategy: PromotionStrategy): PromotionStrategy[] {
  const key = repositoryKey(strategy);
  return duplicatesOf(key, inNamespaceOf(caches.gitRepositories, key)).flatMap((one) =>
    referringTo(caches.strategies, one),
  );
}

/** Adds the controller of PromotionStrategies. Refreshes of a repository reach it through the handle. */
export function addStrategyController(shared: Shared): ControllerHandle {
  const { manager, caches, repositories, metrics } = shared;
  return manager.addController({
    name: 'promotion-strategy',
    for: { kind: PromotionStrategy, predicate: generationChanged },
    owns: [{ kind: ProposedCommit, predicate: or(generationChanged, rejectionChanged, unmergedChanged) }],
    watches: [
      {
        kind: PromotionStrategy,
        predicate: generationChanged,
        map: (other: PromotionStrategy) => siblingsOf(caches, other).map(keyOf),
      },
      {
        kind: CommitStatus,
        predicate: specOrLabelsChanged,
        map: (status: CommitStatus) => strategiesReading(caches, status),
      },
      { kind: RevertCommit, map: (revert: RevertCommit) => strategiesReading(caches, revert) },
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
          siblings: siblingsOf(caches, strategy),
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
