import {
  annotations,
  CommitStatus,
  GitRepository,
  ifFound,
  keyOf,
  keyString,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  repositoryKey,
  type RefersToRepository,
} from '@interlock/api';
import { annotationsChanged, generationChanged, or, type Client, type Manager } from '@interlock/kube';
import { decideGarbage, type GarbageDecision, type ObservedGarbage, type Version } from './decide.js';
import { NamedCommits } from './named-commits.js';
import { PullRequestsByRepository } from './pull-requests.js';

const repositoryIndex = 'garbage repository';
/** Maximum number of writes of one reconcile; the next one makes the rest, so that other repositories get their turn. */
const maxWrites = 200;

/**
 * Adds the reconciler that removes CommitStatuses of commits that are no longer proposed or active, repository by
 * repository.
 * @param ttlMs how long they are kept after that; milliseconds.
 */
export function addGarbageReconciler(manager: Manager, ttlMs: number): void {
  const gitRepositories = manager.cache(GitRepository);
  const commitStatuses = manager.cache(CommitStatus);
  const strategies = manager.cache(PromotionStrategy);
  const proposedCommits = manager.cache(ProposedCommit);
  const pullRequests = new PullRequestsByRepository(manager.cache(PullRequest), gitRepositories);
  const commits = new NamedCommits();
  commitStatuses.addIndex(repositoryIndex, byRepository);
  strategies.addIndex(repositoryIndex, byRepository);
  proposedCommits.addIndex(repositoryIndex, byRepository);
  manager.addReconciler<GitRepository, ObservedGarbage, GarbageDecision, boolean>({
    name: 'commit-status-garbage',
    for: { kind: GitRepository, predicate: generationChanged },
    watches: [
      {
        kind: CommitStatus,
        predicate: or(generationChanged, annotationsChanged(annotations.unusedSince)),
        map: (status: CommitStatus) => [repositoryKey(status)],
      },
      { kind: PromotionStrategy, map: (strategy: PromotionStrategy) => [repositoryKey(strategy)] },
      { kind: ProposedCommit, map: (proposed: ProposedCommit) => [repositoryKey(proposed)] },
      {
        kind: PullRequest,
        map: (pullRequest: PullRequest) => pullRequests.repositoriesOf(pullRequest),
      },
    ],
    observe(gitRepository) {
      const of = keyString(keyOf(gitRepository));
      return {
        commitStatuses: commitStatuses.byIndex(repositoryIndex, of),
        strategies: strategies.byIndex(repositoryIndex, of),
        proposedCommits: proposedCommits.byIndex(repositoryIndex, of),
        others: pullRequests.of(keyOf(gitRepository)),
        commitsIn: (object) => commits.in(object),
      };
    },
    decide: (observed, now) => decideGarbage(observed, ttlMs, now),
    async act(decision, _observed, { log }) {
      const isDone = await act(manager.client, decision);
      if (decision.removals.length > 0) {
        log.info(
          { removed: decision.removals.length },
          'removed CommitStatuses of commits that are no longer used',
        );
      }
      return isDone;
    },
    conclude: (_observed, { requeueAfterMs }, outcome) =>
      outcome === false ? { requeueAfterMs: 0 } : outcome === true ? { requeueAfterMs } : {},
  });
}

/** Returns whether everything was done; each write is bound to the version that was observed. */
async function act(client: Client, { marks, removals }: GarbageDecision): Promise<boolean> {
  for (const { target, value } of marks.slice(0, maxWrites)) {
    const { key, resourceVersion } = target;
    const metadata = { resourceVersion, annotations: { [annotations.unusedSince]: value } };
    await client.patch(CommitStatus, key, { type: 'merge', patch: { metadata } });
  }
  for (const target of removals.slice(0, maxWrites)) await remove(client, target);
  return Math.max(marks.length, removals.length) <= maxWrites;
}

async function remove(client: Client, { key, uid, resourceVersion }: Version): Promise<void> {
  const options = { uid, resourceVersion, propagationPolicy: 'Background' } as const;
  await ifFound(client.delete(CommitStatus, key, options));
}

function byRepository(object: RefersToRepository): string[] {
  return [keyString(repositoryKey(object))];
}
