import { CommitStatus, fieldManagers, keyOf, ProposedCommit, PullRequest } from '@interlock/api';
import { Applier, generationChanged, type ControllerHandle, type Manager } from '@interlock/kube';
import { proposedCommitsReading, specOrLabelsChanged } from '../causes.js';
import { repositoryKey, type Caches } from '../indexes.js';
import { requireView, type Repositories } from '../repository/repositories.js';
import { actOnProposedCommit, align } from './act.js';
import { decideProposedCommit, pullRequestKey } from './decide.js';
import { observeProposedCommit } from './observe.js';

/** Adds the controller of ProposedCommits. `refresh` asks for a look at a repository. */
export function addProposedCommitController(
  manager: Manager,
  caches: Caches,
  repositories: Repositories,
  refresh: ControllerHandle,
): ControllerHandle {
  const { client } = manager;
  const applier = new Applier(client, fieldManagers.promoter);
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
    ],
    reconcile: async (key, { now, signal }) => {
      const proposedCommit = caches.proposedCommits.get(key);
      if (proposedCommit === undefined || proposedCommit.metadata.deletionTimestamp !== undefined) return;
      const repository = repositoryKey(proposedCommit) ?? keyOf(proposedCommit);
      const view = repositories.view(repository);
      const { namespace } = key;
      const observed = await observeProposedCommit(
        {
          proposedCommit,
          pullRequest: caches.pullRequests.get(pullRequestKey(proposedCommit)),
          commitStatuses: caches.commitStatuses.list(namespace === undefined ? {} : { namespace }),
        },
        view,
      );
      const decision = decideProposedCommit(observed, now);
      await actOnProposedCommit({ client, applier, caches }, proposedCommit, decision);
      if (decision.align === undefined) return;
      await align(requireView(view), decision.align, signal);
      refresh.enqueue(repository);
    },
  });
}
