import type { ObjectKey } from '@interlock/api';
import { hydratorNotesRef } from '@interlock/git';
import { referringTo, type ReferringCaches } from '../caches.js';
import { dependingOn } from './ref-index.js';
import { refsOfProposedCommit, refsOfRevert, refsOfStrategy } from './refs.js';

/** Returns the refs of a repository that objects depend on, each once. */
export function requiredRefs(
  { strategies, proposedCommits, revertCommits }: ReferringCaches,
  repository: ObjectKey,
): string[] {
  const refs = new Set([
    ...referringTo(strategies, repository).flatMap(refsOfStrategy),
    ...referringTo(proposedCommits, repository).flatMap(refsOfProposedCommit),
    ...referringTo(revertCommits, repository).flatMap(refsOfRevert),
  ]);
  return refs.size === 0 ? [] : [...[...refs].sort(), hydratorNotesRef];
}

/** Returns whether an object depends on a ref of a repository: whether {@link requiredRefs} include it, which takes much longer. */
export function isRequiredRef(
  { strategies, proposedCommits, revertCommits }: ReferringCaches,
  repository: ObjectKey,
  ref: string,
): boolean {
  return (
    dependingOn(strategies, repository, ref).length > 0 ||
    dependingOn(proposedCommits, repository, ref).length > 0 ||
    dependingOn(revertCommits, repository, ref).length > 0
  );
}
