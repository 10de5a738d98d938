import { timestampOf, type HistoryEntry } from '@interlock/api';
import { branchRef, type Commit, type HistoryReader } from '@interlock/git';
import { findDrift } from './drift.js';
import {
  hydratedCommit,
  hydrationNotesOf,
  isAncestor,
  isPresent,
  readHydration,
  type Refs,
  type Side,
} from './hydrated.js';
import { noDrift, type Descends, type EnvironmentFacts, type HydratedCommit } from './model.js';
import { pinnedBranch } from './pinned.js';

const historyLength = 5;
const noRefs: Refs = new Map();

/** Where an environment is in the repository. */
export type Place = Pick<EnvironmentFacts, 'branch' | 'proposedBranch' | 'activePath'> & {
  /** The commit of the proposed branch that is proposed; absent: its tip. */
  pinned?: string;
};

/**
 * Reads what git says of an environment. Everything is looked up by SHA and memoised by the mirror, so a second look at
 * the same refs costs nothing.
 * @param mirror at the active path.
 * @throws TypedError of the git layer.
 */
export async function environmentFacts(
  mirror: HistoryReader,
  refs: Refs,
  { pinned, ...place }: Place,
): Promise<EnvironmentFacts> {
  const tipSHA = refs.get(branchRef(place.branch));
  const own = pinned === undefined ? undefined : await pinnedBranch(mirror, refs, place, pinned);
  const proposedSHA = own?.sha ?? refs.get(branchRef(place.proposedBranch));
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
    ...(own && { proposedBranch: own.branch }),
    ...(own?.publish && { publish: own.publish }),
    ...(tipSHA !== undefined && { tipSHA }),
    ...(active && { active }),
    ...(proposed && { proposed }),
    unchangedBy: await unchangedBy(mirror, refs, active, proposed),
    contained,
    ...(tipSHA === undefined ? noDrift : await findDrift(mirror, tipSHA, proposedSHA)),
  };
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
  const proposals = new Set([
    ...actives,
    ...environments.flatMap(({ proposed }) => [proposed?.drySHA].filter(isPresent)),
  ]);
  const answers = new Map<string, boolean>();
  const pairs = [...actives].flatMap((ancestor) =>
    [...proposals].filter((other) => other !== ancestor).map((descendant) => [ancestor, descendant] as const),
  );
  await Promise.all(
    pairs.map(async ([ancestor, descendant]) => {
      const answer = await isAncestor(mirror, ancestor, descendant);
      if (answer !== undefined) answers.set(`${ancestor}..${descendant}`, answer);
    }),
  );
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
