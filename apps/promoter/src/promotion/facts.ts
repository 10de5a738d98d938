import { isTyped, timestampOf, type HistoryEntry } from '@interlock/api';
import {
  branchRef,
  HYDRATOR_NOTES_REF,
  hydrationOf,
  type Commit,
  type HistoryReader,
  type Hydration,
} from '@interlock/git';
import { findDrift } from './drift.js';
import { noDrift, type Descends, type EnvironmentFacts, type HydratedCommit } from './model.js';
import { revertOfTrailer } from './revert-trailers.js';

/** The refs of a repository as they were when last looked: full name → SHA. */
export type Refs = ReadonlyMap<string, string>;

const historyLength = 5;
const noRefs: Refs = new Map();

/** What an environment consists of in the repository. */
export type Place = Pick<EnvironmentFacts, 'branch' | 'proposedBranch' | 'activePath'>;

/**
 * Reads what git says of an environment. Everything is looked up by SHA and memoised by the mirror, so a second look at
 * the same refs costs nothing.
 * @param mirror at the active path.
 * @throws TypedError of the git layer.
 */
export async function environmentFacts(
  mirror: HistoryReader,
  refs: Refs,
  place: Place,
): Promise<EnvironmentFacts> {
  const [tipSHA, proposedSHA] = [place.branch, place.proposedBranch].map((name) => refs.get(branchRef(name)));
  const activeSHA = tipSHA && ((await mirror.firstParents(tipSHA, 1))[0] ?? tipSHA);
  const commit = (sha: string | undefined, side: Side) =>
    sha === undefined ? undefined : hydratedCommit(mirror, refs, sha, side);
  const [active, proposed] = await Promise.all([
    commit(activeSHA, 'active'),
    commit(proposedSHA, 'proposed'),
  ]);
  const contained =
    tipSHA !== undefined && proposedSHA !== undefined && (await mirror.isAncestor(proposedSHA, tipSHA));
  return {
    ...place,
    ...(tipSHA !== undefined && { tipSHA }),
    ...(active && { active }),
    ...(proposed && { proposed }),
    unchangedBy: await unchangedBy(mirror, refs, active, proposed),
    contained,
    ...(tipSHA === undefined ? noDrift : await findDrift(mirror, tipSHA, proposedSHA)),
  };
}

type Side = 'active' | 'proposed';

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

/* Malformed metadata concerns one environment; it is reported there and stops nobody else. */
async function readHydration(
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

/**
 * A hydrator that finds a dry commit to change nothing says so by a note on the hydrated commit that is still right: the
 * tip of the proposed branch, the commit that was merged from it, or the active commit where it is the same.
 */
async function unchangedBy(
  mirror: HistoryReader,
  refs: Refs,
  active: HydratedCommit | undefined,
  proposed: HydratedCommit | undefined,
): Promise<string[]> {
  if (active === undefined) return [];
  const notes = await hydrationNotesOf(mirror, refs, active.hydratedSHA);
  const inSync = proposed?.treeSHA === active.treeSHA ? proposed.drySHA : undefined;
  return [...new Set([...notes, inSync].filter(isPresent))].filter((sha) => sha !== active.drySHA);
}

/** @returns the dry commits that the notes on a commit, and on the one that it merged, name. */
export async function hydrationNotesOf(mirror: HistoryReader, refs: Refs, sha: string): Promise<string[]> {
  const [, merged] = (await mirror.commit(sha)).parents;
  const notes = [sha, merged].filter(isPresent).map((one) => readHydration(mirror, refs, one));
  return (await Promise.all(notes)).map(({ hydration }) => hydration?.noteDrySha).filter(isPresent);
}

/**
 * Answers {@link Descends} for all pairs that the rules can ask for.
 * @returns a lookup; `undefined` for a commit that is not in the repository.
 */
export async function dryAncestry(
  mirror: HistoryReader,
  environments: readonly EnvironmentFacts[],
): Promise<Descends> {
  const actives = new Set(
    environments.flatMap(({ active, unchangedBy: noops }) => [active?.drySHA, ...noops].filter(isPresent)),
  );
  const proposals = new Set(environments.flatMap(({ proposed }) => [proposed?.drySHA].filter(isPresent)));
  const answers = new Map<string, boolean>();
  for (const ancestor of actives) {
    for (const descendant of proposals) {
      const answer = await isAncestor(mirror, ancestor, descendant);
      if (answer !== undefined) answers.set(`${ancestor}..${descendant}`, answer);
    }
  }
  return (ancestor, descendant) =>
    ancestor === descendant ? true : answers.get(`${ancestor}..${descendant}`);
}

/**
 * @returns what became active on a branch, newest first: from the trailers of its commits, and from what is in them
 * where a person merged, whose commits have none.
 */
export async function history(mirror: HistoryReader, tipSHA: string | undefined): Promise<HistoryEntry[]> {
  if (tipSHA === undefined) return [];
  const shas = await mirror.firstParents(tipSHA, historyLength);
  return Promise.all(shas.map(async (sha) => historyEntry(mirror, await mirror.commit(sha))));
}

async function historyEntry(mirror: HistoryReader, commit: Commit): Promise<HistoryEntry> {
  const { sha, author, committer, subject, trailers, parents } = commit;
  const trailer = (key: string) => trailers[key]?.at(-1);
  const drySHA = trailer('Sha-dry-proposed') ?? (await newInFile(mirror, commit));
  const hydratedSHA = trailer('Sha-hydrated-proposed') ?? parents[1];
  const pullRequest = trailer('Pull-request-url');
  return {
    sha,
    time: timestampOf(Date.parse(committer.date)),
    ...(drySHA !== undefined && { drySHA }),
    ...(hydratedSHA !== undefined && { hydratedSHA }),
    subject: subject.slice(0, 256),
    author: author.name.slice(0, 256),
    ...(pullRequest !== undefined && { pullRequest }),
  };
}

/** @returns the dry commit in the file of a commit, unless the commit before had the same. */
async function newInFile(
  mirror: HistoryReader,
  { sha, parents: [before] }: Commit,
): Promise<string | undefined> {
  const inFile = async (commit: string) => (await readHydration(mirror, noRefs, commit)).hydration?.drySha;
  const drySHA = await inFile(sha);
  return before !== undefined && (await inFile(before)) === drySHA ? undefined : drySHA;
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

function isPresent(sha: string | undefined): sha is string {
  return sha !== undefined;
}
