import type { RevertCommit } from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { findCommit, isAncestor } from './ancestry.js';
import type { EnvironmentFacts, RevertInForce } from './model.js';

/**
 * Returns the reverts in force, with their effect on the proposed commit. If git cannot determine it, the revert holds the
 * commit.
 * @param reverts of the repository; reverts of other environments, and reverts that are not in force, do not count.
 * @throws TypedError of the git layer.
 */
export async function revertsInForce(
  mirror: HistoryReader,
  { branch, activePath, proposed }: EnvironmentFacts,
  reverts: readonly RevertCommit[],
): Promise<RevertInForce[]> {
  const found: RevertInForce[] = [];
  for (const { spec, status, metadata } of reverts) {
    if (spec.activeBranch !== branch || spec.activePath !== activePath) continue;
    if (status?.inForce !== true) continue;
    if (metadata.deletionTimestamp !== undefined) continue;
    const { rejectedDrySHA, revertOf } = status;
    const newer = await comesAfter(mirror, rejectedDrySHA, proposed?.drySHA);
    const rejectedTree = await treeOf(mirror, revertOf);
    const holds = !newer ? 'NotNewer' : proposed?.treeSHA === rejectedTree ? 'SameContent' : undefined;
    found.push({
      name: metadata.name,
      merged: status.state === 'Merged',
      rejectedDrySHA,
      holds,
    });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns whether `later` is another dry commit, and comes after `earlier` on the dry branch. */
export async function comesAfter(
  mirror: HistoryReader,
  earlier: string | undefined,
  later: string | undefined,
): Promise<boolean> {
  if (earlier === undefined || later === undefined || earlier === later) return false;
  return (await isAncestor(mirror, earlier, later)) === true;
}

/* A commit that the repository no longer has cannot be compared. */
async function treeOf(mirror: HistoryReader, sha: string | undefined): Promise<string | undefined> {
  return sha === undefined ? undefined : (await findCommit(mirror, sha))?.tree;
}
