import { CommitStatus, type Kind, type KubeObject } from '@interlock/api';
import { isProblem, type OrProblem, type Problem } from '@interlock/base';
import {
  Applier,
  generationChanged,
  Later,
  specOrLabelsChanged,
  type Cache,
  type ControllerHandle,
  type Manager,
  type Observation,
  type Reconciler,
  type StatusOf,
  type WatchSource,
} from '@interlock/kube';
import { actOnSource } from './act.js';
import { observeSource, repositoryOfStrategy, type SourceCaches } from './caches.js';
import { concludeSource } from './conclude.js';
import { repositoryWatches, strategyWatch } from './watches.js';
import type { HealthSource } from './health.js';
import type { ObservedSource, Source, SourceDecision } from './model.js';
import type { KindReadiness } from './kind-readiness.js';

interface SourceReconciler<S extends Source, Observed> {
  name: string;
  kind: Kind<S>;
  watches: WatchSource<KubeObject>[];
  observe(source: S, now: number): Observation<Observed>;
  decide(observed: Observed, now: number): SourceDecision<StatusOf<S>>;
}

/** Adds the reconciler of a kind that only writes CommitStatuses. */
export function addSourceReconciler<S extends Source, Observed>(
  manager: Manager,
  { name, kind, watches, observe, decide }: SourceReconciler<S, Observed>,
): ControllerHandle {
  const { client } = manager;
  const actor = { client, applier: new Applier(client), commitStatuses: manager.cache(CommitStatus) };
  const reconciler: Reconciler<S, Observed, SourceDecision<StatusOf<S>>, undefined> = {
    name,
    for: { kind, predicate: generationChanged },
    owns: [{ kind: CommitStatus, predicate: specOrLabelsChanged }],
    watches,
    observe: (source, { now }) => observe(source, now),
    decide,
    act: async (decision) => void (await actOnSource(actor, decision)),
    conclude: (_observed, decision, outcome, now) => (current) =>
      concludeSource(current, decision, outcome, now),
  };
  return manager.addReconciler(reconciler);
}

/** The state of a health source besides the objects that it selects. */
interface KnownHealthSource<S extends HealthSource> {
  observed: ObservedSource<S>;
  /** `host/owner/name` of the strategy's repository, or why it is not known. */
  repository: OrProblem<string>;
  /** Why the objects are not known. */
  problem: Problem | undefined;
}

interface HealthReconciler<S extends HealthSource, Observed> {
  name: string;
  kind: Kind<S>;
  cache: Cache<S>;
  readiness: KindReadiness;
  /** Returns the state with the selected objects. */
  observe(known: KnownHealthSource<S>): Observed;
  decide(observed: Observed, now: number): SourceDecision<StatusOf<S>>;
}

/** Adds the reconciler of a kind that reports the health of selected objects; the caller wakes it when these change. */
export function addHealthReconciler<S extends HealthSource, Observed>(
  manager: Manager,
  caches: SourceCaches,
  { name, kind, cache, readiness, observe, decide }: HealthReconciler<S, Observed>,
): ControllerHandle {
  return addSourceReconciler<S, Observed>(manager, {
    name,
    kind,
    watches: [strategyWatch(cache), ...repositoryWatches(cache)],
    observe(source, now) {
      const knowledge = readiness.check(now);
      if (knowledge instanceof Later) return knowledge;
      const problem = isProblem(knowledge) ? knowledge : undefined;
      const observed = observeSource(caches, source);
      const { strategy } = observed;
      const repository = strategy === undefined ? '' : repositoryOfStrategy(caches, strategy);
      return observe({ observed, repository, problem });
    },
    decide,
  });
}
