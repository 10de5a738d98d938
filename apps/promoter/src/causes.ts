import { keyOf, type KubeObject, type ObjectKey } from '@interlock/api';
import { generationChanged, labelsChanged, or } from '@interlock/kube';
import { referringTo, repositoryKey, type Caches } from './indexes.js';

/** What reporters change of a CommitStatus; its status, which commit-status-sync writes, is no cause. */
export const specOrLabelsChanged = or(generationChanged, labelsChanged());

type Referring = KubeObject & { spec: { repoRef?: { name: string } | undefined } };

/** @returns the strategies of the repository that a CommitStatus is about. */
export function strategiesReading(caches: Caches, status: Referring): ObjectKey[] {
  const repository = repositoryKey(status);
  return repository === undefined ? [] : referringTo(caches.strategies, repository).map(keyOf);
}

/** @returns the proposed commits of the repository that a CommitStatus is about. */
export function proposedCommitsReading(caches: Caches, status: Referring): ObjectKey[] {
  const repository = repositoryKey(status);
  return repository === undefined ? [] : referringTo(caches.proposedCommits, repository).map(keyOf);
}
