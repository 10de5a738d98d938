import { keyOf, ProposedCommit, PullRequest, repositoryKey, RevertCommit } from '@interlock/api';
import { Failure, generationChanged, type ControllerHandle } from '@interlock/kube';
import { commitStatusWatch, proposedCommitsOf, proposedCommitsReading } from '../watches.js';
import { hostOfReferring } from '../caches.js';
import type { PromoterContext } from '../context.js';
import { countBlocked } from '../transitions.js';
import { actOnProposedCommit } from './act.js';
import { isCausedByUser } from './user-failure.js';
import { concludeProposedCommit } from './conclude.js';
import { decideProposedCommit, isPush, isUnevaluated } from './decide.js';
import { Evaluations } from './evaluations.js';
import { readProposedCommit } from './observe.js';

/** Adds the reconciler of ProposedCommits. `refresh` requests a read of a repository. */
export function addProposedCommitReconciler(
  promoter: PromoterContext,
  refresh: ControllerHandle,
): ControllerHandle {
  const { manager, caches, repositories, statusReads } = promoter;
  const reads = statusReads.proposedCommits;
  const evaluations = new Evaluations();
  return manager.addReconciler({
    name: 'proposed-commit',
    for: { kind: ProposedCommit, predicate: generationChanged },
    owns: [{ kind: PullRequest }],
    watches: [
      commitStatusWatch((status) => proposedCommitsOf(caches, reads, status)),
      { kind: RevertCommit, map: (revert: RevertCommit) => proposedCommitsReading(caches, revert) },
    ],
    external: { hostOf: hostOfReferring(caches.proposedCommits, repositories) },
    observe: (proposedCommit, context) =>
      readProposedCommit({ ...promoter, evaluations, reads }, proposedCommit, context),
    decide: decideProposedCommit,
    needsFresh: (decision, observed) => isCausedByUser(decision, observed),
    act: (decision, observed, context) => actOnProposedCommit(promoter, decision, observed, context),
    conclude: concludeProposedCommit,
    concluded({ object, stored, observed: { facts, ...observed }, decision, outcome, now }) {
      const sha = facts.proposed?.hydratedSHA;
      if (sha !== undefined && isUnevaluated(observed)) evaluations.begin(keyOf(object), sha, now);
      else evaluations.forget(keyOf(object));
      countBlocked(promoter, object, stored.status, now);
      if (isPush(decision) && !(outcome instanceof Failure)) refresh.enqueue(repositoryKey(object));
    },
    forgotten(key) {
      evaluations.forget(key);
      reads.forget(key);
    },
  });
}
