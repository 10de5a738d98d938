import {
  ClusterScmProvider,
  GitRepository,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  repositoryKey,
  RevertCommit,
  ScmProvider,
  type AnyScmProvider,
  type ObjectKey,
} from '@interlock/api';
import { generationChanged, type ControllerHandle } from '@interlock/kube';
import type { Referring } from '../caches.js';
import type { PromoterContext } from '../context.js';
import { repositoriesUsing, specOrRefreshChanged } from './watches.js';
import { concludeGitRepository } from './conclude.js';
import { decideRefresh } from './decide.js';

interface GitRepositoryReconcilerOptions {
  /** Milliseconds between two reads of a remote for which no webhook arrives. */
  pollIntervalMs: number;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Enqueues the objects that depend on a repository. A refresh that finds a change wakes them itself. */
  wake: (key: ObjectKey) => void;
}

/** Adds the reconciler of GitRepositories, which reads remotes. */
export function addGitRepositoryReconciler(
  { manager, caches, repositories }: PromoterContext,
  { pollIntervalMs, random, wake }: GitRepositoryReconcilerOptions,
): ControllerHandle {
  const repositoryOf = (object: Referring) => [repositoryKey(object)];
  const usersOf = (provider: AnyScmProvider) => repositoriesUsing(caches, provider);
  return manager.addReconciler({
    name: 'git-repository',
    for: { kind: GitRepository, predicate: specOrRefreshChanged },
    watches: [
      { kind: PromotionStrategy, predicate: specOrRefreshChanged, map: repositoryOf },
      { kind: ProposedCommit, predicate: specOrRefreshChanged, map: repositoryOf },
      { kind: RevertCommit, predicate: specOrRefreshChanged, map: repositoryOf },
      { kind: ScmProvider, predicate: generationChanged, map: usersOf },
      { kind: ClusterScmProvider, predicate: generationChanged, map: usersOf },
    ],
    external: { hostOf: (key) => repositories.hostOf(key) },
    /* Pull requests that are deleted at the same time are closed with it. */
    isUsedUntilGone: true,
    observe: (gitRepository) => ({ gitRepository, chance: random() }),
    decide: (observed) => decideRefresh(observed, pollIntervalMs),
    act: async (_decision, { gitRepository }, { signal }) =>
      void (await repositories.refresh(keyOf(gitRepository), signal)),
    conclude: (observed, decision, outcome, now) => concludeGitRepository(observed, decision, outcome, now),
    async forgotten(key) {
      await repositories.forget(key);
      wake(key);
    },
  });
}
