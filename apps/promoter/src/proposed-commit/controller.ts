import {
  CommitStatus,
  conditions,
  ProposedCommit,
  PullRequest,
  RevertCommit,
  type ProposedCommitStatus,
} from '@interlock/api';
import { generationChanged, getCondition, type ControllerHandle } from '@interlock/kube';
import { proposedCommitsReading, specOrLabelsChanged } from '../causes.js';
import { hostOfReferring, inNamespaceOf, referringTo, repositoryKey } from '../indexes.js';
import { describeDrift, short } from '../promotion/model.js';
import { requireView, stands } from '../repository/repositories.js';
import { refsOfProposedCommit } from '../repository/wanted.js';
import type { Shared } from '../shared.js';
import { countBlocked } from '../transitions.js';
import { actOnProposedCommit, align, publish } from './act.js';
import { decideProposedCommit, pullRequestKey } from './decide.js';
import { observeProposedCommit } from './observe.js';
import { isUnavailable } from './observed.js';

const doneByPerson: readonly (string | undefined)[] = ['Rejected', 'SetBack'];

/** Returns whether a status reports for the first time that a person rejected the commit, or set the branch back. */
function blamesPerson({ status: before }: ProposedCommit, after: ProposedCommitStatus): boolean {
  const [known, found] = [before, after].map(
    (status) => getCondition(status?.conditions, conditions.promoted)?.reason,
  );
  return doneByPerson.includes(found) && known !== found;
}

/** Adds the controller of ProposedCommits. `refresh` asks for a look at a repository. */
export function addProposedCommitController(shared: Shared, refresh: ControllerHandle): ControllerHandle {
  const { manager, caches, repositories, statuses } = shared;
  return manager.addController({
    name: 'proposed-commit',
    for: { kind: ProposedCommit, predicate: generationChanged },
    owns: [{ kind: PullRequest }],
    watches: [
      {
        kind: CommitStatus,
        predicate: specOrLabelsChanged,
        map: (status: CommitStatus) => proposedCommitsReading(caches, status),
      },
      { kind: RevertCommit, map: (revert: RevertCommit) => proposedCommitsReading(caches, revert) },
    ],
    external: { hostOf: hostOfReferring(caches.proposedCommits, repositories) },
    reconcile: async (key, { now, signal }) => {
      const proposedCommit = caches.proposedCommits.get(key);
      if (proposedCommit === undefined || proposedCommit.metadata.deletionTimestamp !== undefined) return;
      const repository = repositoryKey(proposedCommit);
      let view = repositories.view(repository, refsOfProposedCommit(proposedCommit));
      if (stands(proposedCommit, view)) return;
      const resources = {
        proposedCommit,
        pullRequest: caches.pullRequests.get(pullRequestKey(proposedCommit)),
        commitStatuses: inNamespaceOf(caches.commitStatuses, key),
        reverts: referringTo(caches.revertCommits, repository),
      };
      let observed = await observeProposedCommit(resources, view);
      let decision = decideProposedCommit(observed, now);
      /* The state of a pull request may be newer than the branches, which were read before. */
      if (blamesPerson(proposedCommit, decision.status)) {
        view = await repositories.refresh(repository, signal);
        observed = await observeProposedCommit(resources, view);
        decision = decideProposedCommit(observed, now);
      }
      await actOnProposedCommit(shared, proposedCommit, decision);
      countBlocked(shared, proposedCommit, decision.status, now);
      if (decision.publish !== undefined) {
        await publish(requireView(view), decision.publish, signal);
        refresh.enqueue(repository);
      }
      if (decision.align === undefined) return;
      const sha = await align(requireView(view), decision.align, signal);
      const discarded = isUnavailable(observed.facts) ? '' : describeDrift(observed.facts.drift);
      const note = `${short(sha)} on ${decision.align.branch} keeps exactly what is proposed; discarded from the environment: ${discarded || 'nothing that is no promotion'}`;
      statuses.done(proposedCommit, 'ConflictResolved', note);
      refresh.enqueue(repository);
    },
  });
}
