import { keyOf, type ObjectKey } from '@interlock/api';
import { generationChanged, labelsChanged, or } from '@interlock/kube';
import { referringTo, repositoryKey, type Caches, type RefersToRepository } from './indexes.js';

/** What reporters change of a CommitStatus; its status, which commit-status-sync writes, is no cause. */
export const specOrLabelsChanged = or(generationChanged, labelsChanged());

/** @returns the strategies of the repository that an object, such as a CommitStatus, is about. */
export function strategiesReading(caches: Caches, object: RefersToRepository): ObjectKey[] {
  return referringTo(caches.strategies, repositoryKey(object)).map(keyOf);
}

/** @returns the proposed commits of that repository. */
export function proposedCommitsReading(caches: Caches, object: RefersToRepository): ObjectKey[] {
  return referringTo(caches.proposedCommits, repositoryKey(object)).map(keyOf);
}

/** @returns the reverts of that repository. */
export function revertsReading(caches: Caches, object: RefersToRepository): ObjectKey[] {
  return referringTo(caches.revertCommits, repositoryKey(object)).map(keyOf);
}
