import { isFullSHA } from '@interlock/api';
import type { Commit, HistoryReader } from '@interlock/git';
import { findCommit, isAncestor } from './ancestry.js';
import { revertToTrailer } from './revert-trailers.js';

export const dryProposedTrailer = 'Sha-dry-proposed';
export const hydratedProposedTrailer = 'Sha-hydrated-proposed';
export const hydratedActiveTrailer = 'Sha-hydrated-active';
export const dryActiveTrailer = 'Sha-dry-active';

/** How many consecutive alignments are followed. */
const maxCarried = 200;

/** Returns the last value of a trailer. */
export function trailerOf({ trailers }: Pick<Commit, 'trailers'>, name: string): string | undefined {
  return trailers[name]?.at(-1);
}

/** Returns the commit that the last value of a trailer names; undefined for any other text, which users may write. */
export function shaInTrailer(commit: Pick<Commit, 'trailers'>, name: string): string | undefined {
  const text = trailerOf(commit, name);
  return text !== undefined && isFullSHA(text) ? text : undefined;
}

/**
 * Returns the commit and, if it is an alignment, the commits below it down to the commit of the hydrator, which comes last. An
 * alignment is a merge commit with exactly the content of its first parent, which its trailer `Sha-hydrated-proposed` names.
 * A hydrator that copies the messages of dry commits does not create alignments, because it renders different content each
 * time.
 * @throws TypedError of the git layer.
 */
export async function carriedBy(mirror: HistoryReader, commit: Commit): Promise<[Commit, ...Commit[]]> {
  const carried: [Commit, ...Commit[]] = [commit];
  for (let last = commit; carried.length <= maxCarried;) {
    const [first, second, ...others] = last.parents;
    if (first === undefined || second === undefined || others.length > 0) break;
    if (shaInTrailer(last, hydratedProposedTrailer) !== first) break;
    const below = await mirror.commit(first);
    if (below.tree !== last.tree) break;
    carried.push(below);
    last = below;
  }
  return carried;
}

/**
 * Returns the commit of the hydrator: the proposed commit itself, or the commit that it carries. Alignments of one hydrated
 * commit have the same origin.
 * @throws TypedError of the git layer.
 */
export async function originOf(mirror: HistoryReader, sha: string): Promise<string> {
  const carried = await carriedBy(mirror, await mirror.commit(sha));
  return carried.at(-1)?.sha ?? sha;
}

/** The origin of a commit on an environment branch, proved by its trailers. */
type Proof = 'promotion' | 'revert';

/**
 * Returns the origin of the commit of an environment branch, by valid trailers. Squashing, rebasing and cherry-picking copy
 * the message of a commit, so a trailer alone proves nothing. The commit of a promotion has the content of the commit that
 * its trailers name as promoted; the commit of a revert has the content of the earlier commit that its trailers name as restored.
 * @throws TypedError of the git layer.
 */
async function proofOf(mirror: HistoryReader, commit: Commit): Promise<Proof | undefined> {
  const promoted = shaInTrailer(commit, hydratedProposedTrailer);
  if (promoted !== undefined && (await hasContentOf(mirror, commit, promoted))) return 'promotion';
  const target = shaInTrailer(commit, revertToTrailer);
  if (target === undefined || !(await hasContentOf(mirror, commit, target))) return undefined;
  return (await isAncestor(mirror, target, commit.sha)) === true ? 'revert' : undefined;
}

/**
 * Returns whether a commit of an environment branch was made by a promotion or a revert, including one that kept other changes of
 * the branch: it merges the promoted commit that its trailers name, or is a squash of that commit on top of the active commit
 * that they name.
 * @param before the commit before it on the branch.
 * @throws TypedError of the git layer.
 */
export async function isPromotion(
  mirror: HistoryReader,
  commit: Commit,
  before: Commit | undefined,
): Promise<boolean> {
  const promoted = shaInTrailer(commit, hydratedProposedTrailer);
  const [, merged] = commit.parents;
  if (promoted !== undefined && merged !== undefined) return merged === promoted;
  const isOnTop = before !== undefined && shaInTrailer(commit, hydratedActiveTrailer) === before.sha;
  if (promoted !== undefined && isOnTop && (await findCommit(mirror, promoted)) !== undefined) return true;
  return (await proofOf(mirror, commit)) !== undefined;
}

/**
 * Returns the commit whose trailers state what a commit of an environment branch is: the commit itself, or the commit that a user
 * merged by hand, with another message. Undefined when no trailers are valid.
 * @throws TypedError of the git layer.
 */
export async function provenBy(mirror: HistoryReader, commit: Commit): Promise<Commit | undefined> {
  if ((await proofOf(mirror, commit)) !== undefined) return commit;
  const [, merged] = commit.parents;
  const below = merged === undefined ? undefined : await mirror.commit(merged);
  if (below?.tree !== commit.tree) return undefined;
  return (await proofOf(mirror, below)) === undefined ? undefined : below;
}

async function hasContentOf(mirror: HistoryReader, commit: Commit, sha: string): Promise<boolean> {
  return sha !== commit.sha && (await findCommit(mirror, sha))?.tree === commit.tree;
}
