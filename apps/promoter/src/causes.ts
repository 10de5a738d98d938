import { keyOf, type CommitStatus, type ObjectKey } from '@interlock/api';
import { generationChanged, labelsChanged, or } from '@interlock/kube';
import { referringTo, repositoryKey, type Caches } from './indexes.js';

/** What reporters change of a CommitStatus; its status, which commit-status-sync writes, is no cause. */
export const specOrLabelsChanged = or(generationChanged, labelsChanged());

/** @returns the strategies of the repository that a CommitStatus is about. */
export function strategiesReading(caches: Caches, status: CommitStatus): ObjectKey[] {
  return referringTo(caches.strategies, repositoryKey(status)).map(keyOf);
}

/** @returns the proposed commits of the repository that a CommitStatus is about. */
export function proposedCommitsReading(caches: Caches, status: CommitStatus): ObjectKey[] {
  return referringTo(caches.proposedCommits, repositoryKey(status)).map(keyOf);
}
