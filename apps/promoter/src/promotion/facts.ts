import { isTyped, timestampOf, type HistoryEntry } from '@interlock/api';
import {
  branchRef,
  HYDRATOR_NOTES_REF,
  hydrationOf,
  type Commit,
  type Hydration,
  type Mirror,
} from '@interlock/git';
import { findDrift } from './drift.js';
import { noDrift, type Descends, type EnvironmentFacts, type HydratedCommit } from './model.js';

/** The refs of a repository as they were when last looked: full name → SHA. */
export type Refs = ReadonlyMap<string, string>;

const historyLength = 5;
const noRefs: Refs = new Map();

/**
 * Reads what git says of an environment. Everything is looked up by SHA and memoised by the mirror, so a second look at
 * the same refs costs nothing.
 * @throws TypedError of the git layer.
 */
export async function environmentFacts(
  mirror: Mirror,
  refs: Refs,
  branch: string,
  proposedBranch: string,
): Promise<EnvironmentFacts> {
  const [active, proposed] = await Promise.all([
    hydratedCommit(mirror, refs, refs.get(branchRef(branch)), 'active'),
    hydratedCommit(mirror, refs, refs.get(branchRef(proposedBranch)), 'proposed'),
  ]);
  const contained =
    active !== undefined &&
    proposed !== undefined &&
    (await mirror.isAncestor(proposed.hydratedSHA, active.hydratedSHA));
  return {
    branch,
    proposedBranch,
    ...(active && { active }),
    ...(proposed && { proposed }),
    unchangedBy: await unchangedBy(mirror, refs, active, proposed),
    contained,
    ...(active === undefined ? noDrift : await findDrift(mirror, active.hydratedSHA, proposed?.hydratedSHA)),
  };
}

/*
 * A note comes first for what is proposed. For what is active it comes last: a note beside a file says that a newer dry
 * commit changes nothing here, and that counts only when the environments before run it (`unchangedBy`).
 */
async function hydratedCommit(
  mirror: Mirror,
  refs: Refs,
  sha: string | undefined,
  side: 'active' | 'proposed',
): Promise<HydratedCommit | undefined> {
  if (sha === undefined) return undefined;
  const commit = await mirror.commit(sha);
  const { hydration, problem } = await readHydration(mirror, refs, sha);
  const note = hydration?.noteDrySha;
  const own = commit.trailers['Sha-dry-proposed']?.at(-1) ?? hydration?.metadata?.drySha;
  const drySHA = side === 'active' ? (own ?? note) : (note ?? own);
  return {
    hydratedSHA: sha,
    treeSHA: commit.tree,
    ...(drySHA !== undefined && { drySHA }),
    ...(problem !== undefined && { problem }),
    subject: hydration?.metadata?.subject ?? commit.subject,
    author: hydration?.metadata?.author ?? commit.author.name,
  };
}

/* Malformed metadata concerns one environment; it is reported there and stops nobody else. */
async function readHydration(
  mirror: Mirror,
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
  mirror: Mirror,
  refs: Refs,
  active: HydratedCommit | undefined,
  proposed: HydratedCommit | undefined,
): Promise<string[]> {
  if (active === undefined) return [];
  const merged = (await mirror.commit(active.hydratedSHA)).parents[1];
  const notes = await Promise.all(
    [active.hydratedSHA, merged]
      .filter(isPresent)
      .map(async (sha) => (await readHydration(mirror, refs, sha)).hydration?.noteDrySha),
  );
  const inSync = proposed?.treeSHA === active.treeSHA ? proposed.drySHA : undefined;
  return [...new Set([...notes, inSync].filter(isPresent))].filter((sha) => sha !== active.drySHA);
}

/**
 * Answers {@link Descends} for all pairs that the rules can ask for.
 * @returns a lookup; `undefined` for a commit that is not in the repository.
 */
export async function dryAncestry(
  mirror: Mirror,
  environments: readonly EnvironmentFacts[],
): Promise<Descends> {
  const actives = new Set(
    environments.flatMap(({ active, unchangedBy: noops }) => [active?.drySHA, ...noops].filter(isPresent)),
  );
  const proposals = new Set(environments.flatMap(({ proposed }) => [proposed?.drySHA].filter(isPresent)));
  const answers = new Map<string, boolean>();
  const pairs = [...actives].flatMap((ancestor) =>
    [...proposals].map((descendant) => [ancestor, descendant] as const),
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
export async function history(mirror: Mirror, activeSHA: string | undefined): Promise<HistoryEntry[]> {
  if (activeSHA === undefined) return [];
  const shas = await mirror.firstParents(activeSHA, historyLength);
  return Promise.all(shas.map(async (sha) => historyEntry(mirror, await mirror.commit(sha))));
}

async function historyEntry(mirror: Mirror, commit: Commit): Promise<HistoryEntry> {
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
async function newInFile(mirror: Mirror, { sha, parents: [before] }: Commit): Promise<string | undefined> {
  const inFile = async (commit: string) => (await readHydration(mirror, noRefs, commit)).hydration?.drySha;
  const drySHA = await inFile(sha);
  return before !== undefined && (await inFile(before)) === drySHA ? undefined : drySHA;
}

/** @returns undefined when the repository does not have one of them. */
export async function isAncestor(
  mirror: Mirror,
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
