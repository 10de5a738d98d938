import { isTyped } from '@interlock/api';
import {
  HYDRATOR_NOTES_REF,
  hydrationOf,
  type Commit,
  type HistoryReader,
  type Hydration,
} from '@interlock/git';
import type { HydratedCommit } from './model.js';
import { revertOfTrailer } from './revert-trailers.js';

/** The refs of a repository as they were when last looked: full name → SHA. */
export type Refs = ReadonlyMap<string, string>;

/** Whether a commit is what runs, or what is proposed. */
export type Side = 'active' | 'proposed';

/**
 * A note comes first for what is proposed. For what is active it comes last: a note beside a file says that a newer dry
 * commit changes nothing here, and that counts only when the environments before run it (`unchangedBy`).
 * @returns what a hydrated commit says of itself.
 * @throws TypedError of the git layer.
 */
export async function hydratedCommit(
  mirror: HistoryReader,
  refs: Refs,
  sha: string,
  side: Side = 'active',
): Promise<HydratedCommit> {
  const commit = await mirror.commit(sha);
  const [trailers, { hydration, problem }] = await Promise.all([
    trailersOf(mirror, commit),
    readHydration(mirror, refs, sha),
  ]);
  const note = hydration?.noteDrySha;
  const own = trailers['Sha-dry-proposed']?.at(-1) ?? hydration?.metadata?.drySha;
  const drySHA = side === 'active' ? (own ?? note) : (note ?? own);
  const revertOf = trailers[revertOfTrailer]?.at(-1);
  return {
    hydratedSHA: sha,
    treeSHA: commit.tree,
    ...(drySHA !== undefined && { drySHA }),
    ...(problem !== undefined && { problem }),
    subject: hydration?.metadata?.subject ?? commit.subject,
    author: hydration?.metadata?.author ?? commit.author.name,
    ...(revertOf !== undefined && { revertOf }),
  };
}

/* Who merges by hand writes a message of their own; what they merged still says what it is. */
async function trailersOf(
  mirror: HistoryReader,
  { trailers, tree, parents }: Commit,
): Promise<Commit['trailers']> {
  const [, merged] = parents;
  if (merged === undefined || trailers['Sha-dry-proposed'] !== undefined) return trailers;
  const commit = await mirror.commit(merged);
  return commit.tree === tree ? { ...commit.trailers, ...trailers } : trailers;
}

/** @returns what a commit was hydrated from. Malformed metadata concerns one environment: it is reported there and stops nobody else. */
export async function readHydration(
  mirror: HistoryReader,
  refs: Refs,
  commit: string,
): Promise<{ hydration?: Hydration; problem?: string }> {
  try {
    const hydration = await hydrationOf(mirror, { commit, notes: refs.get(HYDRATOR_NOTES_REF) });
    return hydration === undefined
      ? { problem: `commit ${commit} has neither hydrator.metadata nor a note` }
      : { hydration };
  } catch (error) {
    if (!isTyped(error, 'Invalid')) throw error;
    return { problem: error.message };
  }
}

/** @returns the dry commits that the notes on a commit, and on the one that it merged, name. */
export async function hydrationNotesOf(mirror: HistoryReader, refs: Refs, sha: string): Promise<string[]> {
  const [, merged] = (await mirror.commit(sha)).parents;
  const notes = [sha, merged].filter(isPresent).map((one) => readHydration(mirror, refs, one));
  return (await Promise.all(notes)).map(({ hydration }) => hydration?.noteDrySha).filter(isPresent);
}

/** @returns undefined when the repository does not have one of them. */
export async function isAncestor(
  mirror: HistoryReader,
  ancestor: string,
  descendant: string,
): Promise<boolean | undefined> {
  try {
    return await mirror.isAncestor(ancestor, descendant);
  } catch (error) {
    if (isTyped(error, 'NotFound', 'Invalid')) return undefined;
    throw error;
  }
}

/** @returns whether there is a commit. */
export function isPresent(sha: string | undefined): sha is string {
  return sha !== undefined;
}
