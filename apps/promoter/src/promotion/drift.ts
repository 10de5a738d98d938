import type { Commit, HistoryReader } from '@interlock/git';
import { noDrift, type Drift, type DriftCommit } from './model.js';
import { hydratedProposedTrailer, isPromotion, shaInTrailer } from './provenance.js';

/** How many commits back a promotion is searched for. */
const maxDepth = 50;

/**
 * Compares an environment branch with its promotions. A promotion is a commit whose trailers prove it, or whose tree is the tree
 * of a hydrated commit: of the commit that it merges, or of a commit on the proposed branch. A commit that returns to an older
 * one of these trees without such trailers was made by hand. A branch without any promotion has no drift.
 */
export async function findDrift(
  mirror: HistoryReader,
  activeTip: string,
  proposedTip: string | undefined,
): Promise<Drift> {
  const ages = await agesOf(mirror, proposedTip);
  const shas = await mirror.firstParents(activeTip, maxDepth);
  const commits = await Promise.all(shas.map((sha) => mirror.commit(sha)));
  const drift: DriftCommit[] = [];
  for (const [position, commit] of commits.entries()) {
    const before = commits[position + 1];
    const hydrated = await hydratedFor(mirror, commit, before, ages);
    if (hydrated !== undefined) return { drift, adopted: false, promotedSHA: hydrated };
    if (await isPromotion(mirror, commit, before)) {
      const promotedSHA = shaInTrailer(commit, hydratedProposedTrailer);
      return { drift, adopted: true, promotedSHA };
    }
    drift.push({ sha: commit.sha, subject: commit.subject, author: commit.author.name });
  }
  return noDrift;
}

/** Returns the hydrated commit whose content a commit of the environment branch has; undefined when there is none. */
async function hydratedFor(
  mirror: HistoryReader,
  commit: Commit,
  before: Commit | undefined,
  ages: ReadonlyMap<string, Age>,
): Promise<string | undefined> {
  const [, merged] = commit.parents;
  if (merged !== undefined && (await mirror.commit(merged)).tree === commit.tree) return merged;
  const own = ages.get(commit.tree);
  if (own === undefined) return undefined;
  const earlier = before && ages.get(before.tree);
  return earlier === undefined || own.age <= earlier.age ? own.sha : undefined;
}

/** A commit of a proposed branch, and how many commits ago it was proposed. */
interface Age {
  sha: string;
  age: number;
}

/** Returns the trees of a proposed branch, each with the commit that proposed it last. */
async function agesOf(mirror: HistoryReader, tip: string | undefined): Promise<Map<string, Age>> {
  if (tip === undefined) return new Map();
  const shas = await mirror.firstParents(tip, maxDepth);
  const trees = await Promise.all(
    shas.map(async (sha, age) => [(await mirror.commit(sha)).tree, { sha, age }] as const),
  );
  return new Map(trees.reverse());
}
