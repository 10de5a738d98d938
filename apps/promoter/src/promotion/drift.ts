import type { Commit, HistoryReader } from '@interlock/git';
import { noDrift, type Drift, type DriftCommit } from './model.js';

/** So far back a promotion is looked for. */
const maxDepth = 50;

/**
 * Compares an environment branch with its promotions. A promotion is a commit that says so by its trailers, or whose
 * tree is that of a hydrated commit: of the one that it merges, or of one on the proposed branch. A branch on which
 * nothing was ever promoted has no drift.
 */
export async function findDrift(
  mirror: HistoryReader,
  activeTip: string,
  proposedTip: string | undefined,
): Promise<Drift> {
  const proposedTrees = recentTrees(mirror, proposedTip);
  const drift: DriftCommit[] = [];
  for (const sha of await mirror.firstParents(activeTip, maxDepth)) {
    const commit = await mirror.commit(sha);
    const exact = await isHydrated(mirror, commit, proposedTrees);
    if (exact || isPromotion(commit)) return { drift, adopted: !exact };
    drift.push({ sha, subject: commit.subject, author: commit.author.name });
  }
  return noDrift;
}

function isPromotion({ trailers }: Commit): boolean {
  return trailers['Sha-hydrated-proposed'] !== undefined;
}

async function isHydrated(
  mirror: HistoryReader,
  commit: Commit,
  trees: Promise<Set<string>>,
): Promise<boolean> {
  const [, merged] = commit.parents;
  if (merged !== undefined && (await mirror.commit(merged)).tree === commit.tree) return true;
  return (await trees).has(commit.tree);
}

async function recentTrees(mirror: HistoryReader, tip: string | undefined): Promise<Set<string>> {
  if (tip === undefined) return new Set();
  const shas = await mirror.firstParents(tip, maxDepth);
  return new Set(await Promise.all(shas.map(async (sha) => (await mirror.commit(sha)).tree)));
}
