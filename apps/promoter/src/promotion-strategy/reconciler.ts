import {
  ClusterScmProvider,
  GitRepository,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  ScmProvider,
  type AnyScmProvider,
} from '@interlock/api';
import { Failure, generationChanged, or, type ControllerHandle } from '@interlock/kube';
import {
  commitStatusWatch,
  rejectionChanged,
  strategiesOf,
  strategiesReading,
  unmergedChanged,
} from '../watches.js';
import { hostOfReferring } from '../caches.js';
import type { PromoterContext } from '../context.js';
import { countTransitions } from '../transitions.js';
import { actOnStrategy } from './act.js';
import { concludeStrategy } from './conclude.js';
import { decideStrategy } from './decide.js';
import { readStrategy } from './observe.js';
import { siblingsOf, strategiesBeside, strategiesBesideUsers } from './siblings.js';

/** Adds the reconciler of PromotionStrategies. Refreshes of a repository reach it through the handle. */
export function addStrategyReconciler(promoter: PromoterContext): ControllerHandle {
  const { manager, caches, repositories, metrics, statusReads } = promoter;
  const reads = statusReads.strategies;
  const besideUsers = (provider: AnyScmProvider) => strategiesBesideUsers(promoter, provider);
  return manager.addReconciler({
    name: 'promotion-strategy',
    for: { kind: PromotionStrategy, predicate: generationChanged },
    owns: [{ kind: ProposedCommit, predicate: or(generationChanged, rejectionChanged, unmergedChanged) }],
    watches: [
      {
        kind: PromotionStrategy,
        predicate: generationChanged,
        map: (other: PromotionStrategy) => siblingsOf(promoter, other).map(keyOf),
      },
      commitStatusWatch((status) => strategiesOf(caches, reads, status)),
      { kind: RevertCommit, map: (revert: RevertCommit) => strategiesReading(caches, revert) },
      /* The set of strategies that share a remote may have changed. */
      {
        kind: GitRepository,
        predicate: generationChanged,
        map: (repository: GitRepository) => strategiesBeside(promoter, repository),
      },
      { kind: ScmProvider, predicate: generationChanged, map: besideUsers },
      { kind: ClusterScmProvider, predicate: generationChanged, map: besideUsers },
    ],
    external: { hostOf: hostOfReferring(caches.strategies, repositories) },
    observe: (strategy, context) => readStrategy({ ...promoter, reads }, strategy, context),
    decide: decideStrategy,
    act: (decision) => actOnStrategy(promoter, decision),
    conclude: concludeStrategy,
    concluded({ object, decision, outcome }) {
      if (!(outcome instanceof Failure)) countTransitions(promoter, keyOf(object), decision.transitions);
    },
    forgotten(key) {
      reads.forget(key);
      metrics.forget(key);
    },
  });
}
