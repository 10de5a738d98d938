import { CommitStatus, type Kind } from '@interlock/api';
import { generationChanged, type Cache, type ControllerHandle, type Manager } from '@interlock/kube';
import { actOnSource, type Actor } from './act.js';
import { observeSource, repositoryOfStrategy, type SourceCaches } from './caches.js';
import { repositoryWatches, specOrLabelsChanged, strategyWatch } from './causes.js';
import type { HealthSource } from './health.js';
import type { ObservedSource, Problem, SourceDecision } from './model.js';
import type { Patience } from './patience.js';

/** What is known of a health source beside the objects that it selects. */
export interface KnownHealthSource<S extends HealthSource> {
  observed: ObservedSource<S>;
  /** `host/owner/name` of the strategy's repository, or why it is not known. */
  repository: string | Problem;
  /** Why the objects are not known. */
  problem: Problem | undefined;
}

export interface HealthControllerOptions<S extends HealthSource> {
  name: string;
  kind: Kind<S>;
  cache: Cache<S>;
  patience: Patience;
  decide: (known: KnownHealthSource<S>, now: number) => SourceDecision<NonNullable<S['status']>>;
}

/** Adds the controller of a kind that reports the health of selected objects; the caller wakes it when these change. */
export function addHealthController<S extends HealthSource>(
  manager: Manager,
  actor: Actor,
  caches: SourceCaches,
  { name, kind, cache, patience, decide }: HealthControllerOptions<S>,
): ControllerHandle {
  return manager.addController({
    name,
    for: { kind, predicate: generationChanged },
    owns: [{ kind: CommitStatus, predicate: specOrLabelsChanged }],
    watches: [strategyWatch(cache), ...repositoryWatches(cache)],
    reconcile: async (key, { now }) => {
      const source = cache.get(key);
      if (source === undefined || source.metadata.deletionTimestamp !== undefined) return;
      const knowledge = patience.look(now);
      if (knowledge.type === 'wait') return { requeueAfterMs: knowledge.waitMs };
      const problem = knowledge.type === 'problem' ? knowledge.problem : undefined;
      const observed = observeSource(caches, source);
      const { strategy } = observed;
      const repository = strategy === undefined ? '' : repositoryOfStrategy(caches, strategy);
      const decision = decide({ observed, repository, problem }, now);
      await actOnSource(actor, kind, source, decision);
      return decision;
    },
  });
}
