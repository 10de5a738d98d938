import type { Commit, HistoryReader } from '@interlock/git';
import { noDrift, type Drift, type DriftCommit } from './model.js';
import { isPromotion } from './provenance.js';

/** So far back a promotion is looked for. */
const maxDepth = 50;

/**
 * Compares an environment branch with its promotions. A promotion is a commit whose trailers prove it, or whose
 * tree is that of a hydrated commit: of the one that it merges, or of one on the proposed branch. One that goes back to
 * an older one of these trees, with nothing that says so, was made by hand. A branch on which nothing was ever promoted
 * has no drift.
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
    const exact = await isHydrated(mirror, commit, commits[position + 1], ages);
    if (exact || (await isPromotion(mirror, commit, commits[position + 1])))
      return { drift, adopted: !exact };
    drift.push({ sha: commit.sha, subject: commit.subject, author: commit.author.name });
  }
  return noDrift;
}

async function isHydrated(
  mirror: HistoryReader,
  commit: Commit,
  before: Commit | undefined,
  ages: ReadonlyMap<string, number>,
): Promise<boolean> {
  const [, merged] = commit.parents;
  if (merged !== undefined && (await mirror.commit(merged)).tree === commit.tree) return true;
  const age = ages.get(commit.tree);
  return age !== undefined && age <= (before === undefined ? age : (ages.get(before.tree) ?? age));
}

/** @returns the trees of a proposed branch, with how many commits ago each was proposed last. */
async function agesOf(mirror: HistoryReader, tip: string | undefined): Promise<Map<string, number>> {
  if (tip === undefined) return new Map();
  const shas = await mirror.firstParents(tip, maxDepth);
  const trees = await Promise.all(shas.map(async (sha) => (await mirror.commit(sha)).tree));
  return new Map(trees.map((tree, age) => [tree, age] as const).reverse());
}
