import {
  ClusterScmProvider,
  fieldManagers,
  GitRepository,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  ScmProvider,
  type KubeObject,
} from '@interlock/api';
import { Failure, generationChanged, or, type ControllerHandle } from '@interlock/kube';
import { commitStatusWatch, rejectionChanged, strategiesReading, unmergedChanged } from '../causes.js';
import { hostOfReferring, inNamespaceOf } from '../indexes.js';
import type { Shared } from '../shared.js';
import { countTransitions } from '../transitions.js';
import { actOnStrategy } from './act.js';
import { concludeStrategy } from './conclude.js';
import { decideStrategy } from './decide.js';
import { readStrategy } from './observe.js';
import { siblingsOf } from './siblings.js';

/** Adds the reconciler of PromotionStrategies. Refreshes of a repository reach it through the handle. */
export function addStrategyReconciler(shared: Shared): ControllerHandle {
  const { manager, caches, repositories, metrics } = shared;
  const strategiesBeside = (object: KubeObject) => inNamespaceOf(caches.strategies, keyOf(object)).map(keyOf);
  return manager.addReconciler({
    name: 'promotion-strategy',
    fieldManager: fieldManagers.promoter,
    transitions: { action: 'Reconcile' },
    for: { kind: PromotionStrategy, predicate: generationChanged },
    owns: [{ kind: ProposedCommit, predicate: or(generationChanged, rejectionChanged, unmergedChanged) }],
    watches: [
      {
        kind: PromotionStrategy,
        predicate: generationChanged,
        map: (other: PromotionStrategy) => siblingsOf(shared, other).map(keyOf),
      },
      commitStatusWatch((status) => strategiesReading(caches, status)),
      { kind: RevertCommit, map: (revert: RevertCommit) => strategiesReading(caches, revert) },
      /* Which strategies share a remote may be another. */
      { kind: GitRepository, predicate: generationChanged, map: strategiesBeside },
      { kind: ScmProvider, predicate: generationChanged, map: strategiesBeside },
      { kind: ClusterScmProvider, predicate: generationChanged, map: strategiesBeside },
    ],
    external: { hostOf: hostOfReferring(caches.strategies, repositories) },
    observe: (strategy) => readStrategy(shared, strategy),
    decide: decideStrategy,
    act: (decision) => actOnStrategy(shared, decision),
    conclude: (_observed, decision, outcome) => concludeStrategy(decision, outcome),
    concluded({ object, decision, outcome }) {
      if (!(outcome instanceof Failure)) countTransitions(shared, keyOf(object), decision.transitions);
    },
    forgotten: (key) => metrics.forget(key),
  });
}
