import { PromotionStrategy, PullRequest, repositoryKey, RevertCommit } from '@interlock/api';
import { Failure, generationChanged, type ControllerHandle } from '@interlock/kube';
import {
  commitStatusWatch,
  healthyChanged,
  revertsBeside,
  revertsOf,
  revertsOfStrategy,
} from '../watches.js';
import { hostOfReferring } from '../caches.js';
import type { PromoterContext } from '../context.js';
import { actOnRevert } from './act.js';
import { concludeRevert } from './conclude.js';
import { decideRevert, recordsSubject } from './decide.js';
import { readRevert } from './observe.js';

/** Adds the reconciler of RevertCommits. `refresh` requests a read of a repository. */
export function addRevertCommitReconciler(
  promoter: PromoterContext,
  refresh: ControllerHandle,
): ControllerHandle {
  const { manager, caches, repositories, statusReads } = promoter;
  const reads = statusReads.reverts;
  return manager.addReconciler({
    name: 'revert-commit',
    for: { kind: RevertCommit, predicate: generationChanged },
    owns: [{ kind: PullRequest }],
    watches: [
      commitStatusWatch((status) => revertsOf(caches, reads, status)),
      {
        kind: PromotionStrategy,
        predicate: generationChanged,
        map: (strategy: PromotionStrategy) => revertsBeside(caches, strategy),
      },
      {
        kind: PromotionStrategy,
        predicate: healthyChanged,
        map: (strategy: PromotionStrategy) => revertsOfStrategy(caches, strategy),
      },
    ],
    /* Two RevertCommits of one environment must not choose the same branch. */
    external: { hostOf: hostOfReferring(caches.revertCommits, repositories), perTenant: 1 },
    observe: (revertCommit, context) => readRevert({ ...promoter, reads }, revertCommit, context),
    decide: decideRevert,
    needsFresh: (_decision, observed) => recordsSubject(observed),
    act: (decision, observed, context) => actOnRevert(promoter, decision, observed, context),
    conclude: (observed, decision, outcome, now) => concludeRevert(observed, decision, outcome, now),
    concluded({ object, decision: { build }, outcome }) {
      if (build !== undefined && !(outcome instanceof Failure)) refresh.enqueue(repositoryKey(object));
    },
    forgotten: (key) => reads.forget(key),
  });
}
