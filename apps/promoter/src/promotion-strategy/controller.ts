import { CommitStatus, PromotionStrategy, ProposedCommit } from '@interlock/api';
import { generationChanged, isControlledBy, type ControllerHandle } from '@interlock/kube';
import { specOrLabelsChanged, strategiesReading } from '../causes.js';
import { inNamespaceOf, repositoryKey } from '../indexes.js';
import { stands } from '../repository/repositories.js';
import { refsOfStrategy } from '../repository/wanted.js';
import type { Shared } from '../shared.js';
import { actOnStrategy } from './act.js';
import { decideStrategy } from './decide.js';
import { observeStrategy } from './observe.js';

/** Adds the controller of PromotionStrategies. Refreshes of a repository reach it through the handle. */
export function addStrategyController(shared: Shared): ControllerHandle {
  const { manager, caches, repositories, metrics } = shared;
  return manager.addController({
    name: 'promotion-strategy',
    for: { kind: PromotionStrategy, predicate: generationChanged },
    owns: [{ kind: ProposedCommit, predicate: generationChanged }],
    watches: [
      {
        kind: CommitStatus,
        predicate: specOrLabelsChanged,
        map: (status: CommitStatus) => strategiesReading(caches, status),
      },
    ],
    reconcile: async (key, { now }) => {
      const strategy = caches.strategies.get(key);
      if (strategy === undefined) return metrics.forget(key);
      if (strategy.metadata.deletionTimestamp !== undefined) return;
      const view = repositories.view(repositoryKey(strategy), refsOfStrategy(strategy));
      if (stands(strategy, view)) return;
      const observed = await observeStrategy(
        {
          strategy,
          children: inNamespaceOf(caches.proposedCommits, key).filter((child) =>
            isControlledBy(child, strategy),
          ),
          commitStatuses: inNamespaceOf(caches.commitStatuses, key),
        },
        view,
      );
      await actOnStrategy(shared, strategy, decideStrategy(observed, now));
    },
  });
}
