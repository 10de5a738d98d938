import {
  ClusterScmProvider,
  GitRepository,
  isTyped,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  ScmProvider,
  type Condition,
  type GitRepository as GitRepositoryObject,
  type ObjectKey,
} from '@interlock/api';
import {
  generationChanged,
  markReady,
  markReconciling,
  type ControllerHandle,
  type ReconcileContext,
  type ReconcileResult,
} from '@interlock/kube';
import type { Shared } from '../shared.js';
import { repositoryOf, specOrRefreshChanged } from './causes.js';

export interface GitRepositoryControllerOptions {
  /** Milliseconds between two looks at a remote for which no webhook comes. */
  pollIntervalMs: number;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Enqueues the objects that depend on a repository. */
  wake: (key: ObjectKey) => void;
}

/** Adds the controller of GitRepositories, which looks at remotes. */
export function addGitRepositoryController(
  { manager, caches, repositories, statuses }: Shared,
  options: GitRepositoryControllerOptions,
): ControllerHandle {
  const { wake } = options;

  async function reconcile(
    key: ObjectKey,
    { signal, now }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const gitRepository = caches.gitRepositories.get(key);
    if (gitRepository === undefined) {
      await repositories.forget(key);
      wake(key);
      return undefined;
    }
    try {
      await repositories.refresh(key, signal);
      const known = gitRepository.status?.conditions;
      const reachable = { reason: 'Reachable', message: 'the remote answers' };
      await report(gitRepository, markReady(known, reachable, gitRepository.metadata.generation, now));
      return { requeueAfterMs: jittered(options.pollIntervalMs, options.random()) };
    } catch (error) {
      if (!isTyped(error)) throw error;
      const known = gitRepository.status?.conditions;
      await report(gitRepository, markReconciling(known, error, gitRepository.metadata.generation, now));
      wake(key);
      if (error.type === 'Transient' || error.type === 'RateLimited') throw error;
      /* What has to be mended, such as a Secret, is not always watched: look again as if nothing were wrong. */
      return { requeueAfterMs: jittered(options.pollIntervalMs, options.random()) };
    }
  }

  async function report(gitRepository: GitRepositoryObject, conditions: Condition[]): Promise<void> {
    const next = { observedGeneration: gitRepository.metadata.generation, conditions };
    await statuses.write(GitRepository, gitRepository, next);
  }

  function usersOf(provider: ScmProvider | ClusterScmProvider): ObjectKey[] {
    return caches.gitRepositories
      .list()
      .filter((repository) => uses(repository, provider))
      .map(keyOf);
  }

  return manager.addController({
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
    reconcile,
  });
}

/** A provider of a namespace serves that namespace only. */
function uses({ spec, metadata }: GitRepositoryObject, provider: ScmProvider | ClusterScmProvider): boolean {
  const { kind, name } = spec.scmProviderRef;
  const sameNamespace =
    kind === ClusterScmProvider.kind || metadata.namespace === provider.metadata.namespace;
  return kind === provider.kind && name === provider.metadata.name && sameNamespace;
}

/** @returns an interval between 90 % and 110 % of the given one, so that repositories do not move in step. */
function jittered(intervalMs: number, random: number): number {
  return Math.round(intervalMs * (0.9 + 0.2 * random));
}
