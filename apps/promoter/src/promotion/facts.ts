import { branchRef } from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { findDrift } from './drift.js';
import { absentCommit, hydratedCommit, hydrationNotesOf, type Refs } from './hydrated.js';
import { noDrift, type EnvironmentFacts, type HydratedCommit } from './model.js';
import { pinnedBranch } from './pinned.js';

/** The location of an environment in the repository. */
type Place = Pick<EnvironmentFacts, 'branch' | 'proposedBranch' | 'activePath'> & {
  /** The commit of the proposed branch to propose; absent for its tip. */
  pinned?: string | undefined;
};

/**
 * Reads the state of an environment from git. Everything is looked up by SHA and memoised by the mirror, so a second read of
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
  const changedSHA = tipSHA && (await mirror.firstParents(tipSHA, 1))[0];
  const present =
    changedSHA === undefined ? undefined : await hydratedCommit(mirror, refs, changedSHA, 'active');
  const active = present ?? (tipSHA === undefined ? undefined : await absentCommit(mirror, tipSHA));
  const proposed = await proposedCommit(
    mirror,
    refs,
    proposedSHA,
    proposedSHA === tipSHA ? active : undefined,
  );
  const drift = tipSHA === undefined ? noDrift : await findDrift(mirror, tipSHA, proposedSHA);
  const isPart =
    tipSHA !== undefined && proposedSHA !== undefined && (await mirror.isAncestor(proposedSHA, tipSHA));
  return {
    ...place,
    proposedBranch: own?.branch ?? place.proposedBranch,
    publish: own?.publish,
    tipSHA,
    active,
    proposed,
    unchangedBy: await unchangedBy(mirror, refs, present, proposed),
    contained: isPart || (proposedSHA !== undefined && drift.promotedSHA === proposedSHA),
    ...drift,
  };
}

/**
 * @param active the active commit, if the proposed branch points at the tip of the environment branch: then it proposes the
 *   active commit, with its notes.
 */
async function proposedCommit(
  mirror: HistoryReader,
  refs: Refs,
  sha: string | undefined,
  active: HydratedCommit | undefined,
): Promise<HydratedCommit | undefined> {
  if (sha === undefined) return undefined;
  if (active === undefined) return hydratedCommit(mirror, refs, sha, 'proposed');
  const [noted] = await hydrationNotesOf(mirror, refs, active.hydratedSHA);
  return { ...active, hydratedSHA: sha, drySHA: noted ?? active.drySHA };
}

/**
 * Returns the dry commits that change nothing. A hydrator records such a commit by a note on the hydrated commit that is
 * still current: the tip of the proposed branch, the commit that was merged from it, or the active commit if it is the
 * same.
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
  return [...new Set([...notes, inSync].filter((sha) => sha !== undefined))].filter(
    (sha) => sha !== active.drySHA,
  );
}
