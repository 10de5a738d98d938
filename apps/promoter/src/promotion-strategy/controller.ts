import { CommitStatus, fieldManagers, PromotionStrategy, ProposedCommit } from '@interlock/api';
import {
  generationChanged,
  isControlledBy,
  Applier,
  type ControllerHandle,
  type Manager,
} from '@interlock/kube';
import { specOrLabelsChanged, strategiesReading } from '../causes.js';
import { repositoryKey, type Caches } from '../indexes.js';
import type { Repositories } from '../repository/repositories.js';
import { actOnStrategy } from './act.js';
import { decideStrategy } from './decide.js';
import { observeStrategy } from './observe.js';

/** Adds the controller of PromotionStrategies. Refreshes of a repository reach it through the handle. */
export function addStrategyController(
  manager: Manager,
  caches: Caches,
  repositories: Repositories,
): ControllerHandle {
  const { client } = manager;
  const applier = new Applier(client, fieldManagers.promoter);
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
      if (strategy === undefined || strategy.metadata.deletionTimestamp !== undefined) return;
      const { namespace } = strategy.metadata;
      const observed = await observeStrategy(
        {
          strategy,
          children: caches.proposedCommits
            .list(namespace === undefined ? {} : { namespace })
            .filter((child) => isControlledBy(child, strategy)),
          commitStatuses: caches.commitStatuses.list(namespace === undefined ? {} : { namespace }),
        },
        repositories.view(repositoryKey(strategy) ?? key),
      );
      await actOnStrategy({ client, applier, caches }, strategy, decideStrategy(observed, now));
    },
  });
}
