import { isTyped } from '@interlock/api';
import {
  hydratorNotesRef,
  hydrationOf,
  type Commit,
  type HistoryReader,
  type Hydration,
} from '@interlock/git';
import type { HydratedCommit } from './model.js';
import { carriedBy, dryProposedTrailer, provenBy, shaInTrailer } from './provenance.js';
import { revertOfTrailer } from './revert-trailers.js';

/** The refs of a repository at the last read: full name → SHA. */
export type Refs = ReadonlyMap<string, string>;

/** Whether a commit is active or proposed. */
export type Side = 'active' | 'proposed';

/**
 * Returns what a hydrated commit was made from. For a proposed commit only the hydrator counts: its note, or else its file.
 * The message may be copied from a dry commit, and does not count. For an active commit the trailers of the promotion come
 * first, if they are valid, and notes last: a note beside a file means that a newer dry commit changes nothing here, which
 * counts only when the preceding environments run it (`unchangedBy`).
 * @throws TypedError of the git layer.
 */
export async function hydratedCommit(
  mirror: HistoryReader,
  refs: Refs,
  sha: string,
  side: Side = 'active',
): Promise<HydratedCommit> {
  const commit = await mirror.commit(sha);
  const carried = await carriedBy(mirror, commit);
  const isActive = side === 'active';
  const [{ note, metadata, problem }, proven] = await Promise.all([
    nearestHydration(mirror, refs, isActive ? withMerged(carried) : carried.map((one) => one.sha)),
    isActive ? provenBy(mirror, commit) : undefined,
  ]);
  const file = metadata?.drySha;
  const promoted = proven && shaInTrailer(proven, dryProposedTrailer);
  const drySHA = isActive ? (promoted ?? file ?? note) : (note ?? file);
  const wrong = problem ?? (drySHA === undefined ? notHydrated(sha) : undefined);
  const revertOf = proven && shaInTrailer(proven, revertOfTrailer);
  return {
    hydratedSHA: sha,
    originSHA: carried.at(-1)?.sha ?? sha,
    treeSHA: commit.tree,
    drySHA,
    problem: wrong,
    subject: metadata?.subject ?? commit.subject,
    author: metadata?.author ?? commit.author.name,
    revertOf,
  };
}

/**
 * Returns the commit of a branch on which no commit changed the folder. It has no dry commit, because trailers and notes
 * of the tip belong to other folders.
 * @throws TypedError of the git layer.
 */
export async function absentCommit(mirror: HistoryReader, sha: string): Promise<HydratedCommit> {
  const { tree, subject, author } = await mirror.commit(sha);
  const problem = notHydrated(sha);
  return { hydratedSHA: sha, originSHA: sha, treeSHA: tree, problem, subject, author: author.name };
}

/* A merge by hand has neither trailers nor a note, but the merged commit may have a note. */
function withMerged(carried: readonly Commit[]): string[] {
  const [, merged] = carried[0]?.parents ?? [];
  return [...carried.map(({ sha }) => sha), ...(merged === undefined ? [] : [merged])];
}

/** Returns the file of the first commit, and the first note on any of them. */
async function nearestHydration(
  mirror: HistoryReader,
  refs: Refs,
  shas: readonly string[],
): Promise<{ note?: string | undefined; metadata?: Hydration['metadata']; problem?: string | undefined }> {
  const found = await Promise.all(shas.map((sha) => readHydration(mirror, refs, sha)));
  const speaking = found.find(({ hydration, problem }) => hydration?.noteDrySha ?? problem);
  return {
    note: speaking?.hydration?.noteDrySha,
    metadata: found[0]?.hydration?.metadata,
    problem: speaking?.problem,
  };
}

/** The source of a hydrated commit, or what is wrong with its metadata; neither if it has no metadata. */
interface ReadHydration {
  hydration?: Hydration;
  problem?: string;
}

function notHydrated(commit: string): string {
  return `commit ${commit} has neither hydrator.metadata nor a note`;
}

/**
 * Returns what a commit was hydrated from. Malformed metadata affects one environment: it is reported there, and does not
 * stop the others.
 */
export async function readHydration(
  mirror: HistoryReader,
  refs: Refs,
  commit: string,
): Promise<ReadHydration> {
  try {
    const hydration = await hydrationOf(mirror, { commit, notes: refs.get(hydratorNotesRef) });
    return hydration === undefined ? {} : { hydration };
  } catch (error) {
    if (!isTyped(error, 'Invalid')) throw error;
    return { problem: error.message };
  }
}

/** Returns the dry commits that are named by the notes on a commit and on the commit that it merged. */
export async function hydrationNotesOf(mirror: HistoryReader, refs: Refs, sha: string): Promise<string[]> {
  const [, merged] = (await mirror.commit(sha)).parents;
  const notes = [sha, merged]
    .filter((one) => one !== undefined)
    .map((one) => readHydration(mirror, refs, one));
  return (await Promise.all(notes)).flatMap(({ hydration }) => hydration?.noteDrySha ?? []);
}
