import { branchRef } from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { hydratedCommit, type Refs } from './hydrated.js';
import { carriedBy } from './provenance.js';

/** How many commits back a dry commit is searched for on a proposed branch. */
const maxDepth = 50;

/** A commit of a proposed branch that is proposed from its own branch, which does not move. */
interface PinnedBranch {
  branch: string;
  /** The commit, or the merge commit that aligns it with its environment. */
  sha: string;
  /** The branch has to be created or moved first; it points at this commit now, or does not exist. */
  publish?: { expected: string | null };
}

/** Returns the separate branch from which a commit is proposed; the commit need not be the tip of the proposed branch. */
export function pinnedBranchOf(environment: string, activePath: string | undefined): string {
  return ['interlock/in-flight', environment, activePath].filter((part) => part !== undefined).join('/');
}

/** Returns the current branch of a pinned commit. @throws TypedError of the git layer. */
export async function pinnedBranch(
  mirror: HistoryReader,
  refs: Refs,
  { branch: environment, activePath }: { branch: string; activePath?: string | undefined },
  pinned: string,
): Promise<PinnedBranch> {
  const branch = pinnedBranchOf(environment, activePath);
  const sha = refs.get(branchRef(branch));
  if (sha === undefined) return { branch, sha: pinned, publish: { expected: null } };
  const carried = await carriedBy(mirror, await mirror.commit(sha));
  return carried.some((commit) => commit.sha === pinned)
    ? { branch, sha }
    : { branch, sha: pinned, publish: { expected: sha } };
}

/** Returns the newest commit of a proposed branch that was hydrated from a dry commit. @throws TypedError of the git layer. */
export async function findHydrated(
  mirror: HistoryReader,
  refs: Refs,
  proposedBranch: string,
  drySHA: string,
): Promise<string | undefined> {
  const tip = refs.get(branchRef(proposedBranch));
  if (tip === undefined) return undefined;
  for (const sha of await mirror.firstParents(tip, maxDepth)) {
    if ((await hydratedCommit(mirror, refs, sha, 'proposed')).drySHA === drySHA) return sha;
  }
  return undefined;
}
