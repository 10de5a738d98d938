import { ArgoCDCommitStatus, CommitStatus, keyOf } from '@interlock/api';
import { generationChanged, type Manager, type OptionalCache } from '@interlock/kube';
import { actOnSource, type Actor } from '../sources/act.js';
import { observeSource, repositoryOfStrategy, type SourceCaches } from '../sources/caches.js';
import { repositoryWatches, specOrLabelsChanged, strategyWatch } from '../sources/causes.js';
import { statesOf } from '../sources/foreign.js';
import { Patience } from '../sources/patience.js';
import { inScope, matchesLabels } from '../sources/selector.js';
import type { Application } from './application.js';
import { decideArgoCD } from './decide.js';

/** Adds the controller of ArgoCDCommitStatuses. An event of an Application wakes each one that selects it. */
export function addArgoCDController(
  manager: Manager,
  actor: Actor,
  caches: SourceCaches,
  applications: OptionalCache<Application>,
): void {
  const { argocd } = caches;
  const patience = new Patience([applications]);
  const handle = manager.addController({
    name: 'argocd-commit-status',
    for: { kind: ArgoCDCommitStatus, predicate: generationChanged },
    owns: [{ kind: CommitStatus, predicate: specOrLabelsChanged }],
    watches: [strategyWatch(argocd), ...repositoryWatches(argocd)],
    reconcile: async (key, { now }) => {
      const source = argocd.get(key);
      if (source === undefined || source.metadata.deletionTimestamp !== undefined) return;
      const knowledge = patience.look(now);
      if (knowledge.type === 'wait') return { requeueAfterMs: knowledge.waitMs };
      const observed = observeSource(caches, source);
      const decision = decideArgoCD(
        {
          observed,
          repository: observed.strategy === undefined ? '' : repositoryOfStrategy(caches, observed.strategy),
          applications:
            knowledge.type === 'problem'
              ? knowledge.problem
              : applications.list().filter((application) => selects(source, application)),
        },
        now,
      );
      await actOnSource(actor, ArgoCDCommitStatus, source, decision);
      return decision;
    },
  });
  applications.subscribe((event) => {
    for (const application of statesOf(event)) {
      argocd
        .list()
        .filter((source) => selects(source, application))
        .forEach((source) => handle.enqueue(keyOf(source)));
    }
  });
  applications.onAvailability(() => argocd.list().forEach((source) => handle.enqueue(keyOf(source))));
}

/** @returns whether an ArgoCDCommitStatus looks at an Application. */
export function selects(source: ArgoCDCommitStatus, application: Application): boolean {
  return (
    inScope(source, application) &&
    matchesLabels(source.spec.applicationSelector, application.metadata.labels)
  );
}
