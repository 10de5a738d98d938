import type { Commit, Mirror } from '@interlock/git';
import type { DriftCommit } from './model.js';

/** So far back a promotion is looked for. */
const maxDepth = 50;

/**
 * Finds the commits on top of the last promotion of an environment branch. A promotion is a commit that says so by its
 * trailers, or whose tree is that of a hydrated commit: of the one that it merges, or of one on the proposed branch. A
 * branch on which nothing was ever promoted has no drift.
 * @returns newest first
 */
export async function findDrift(
  mirror: Mirror,
  activeTip: string,
  proposedTip: string | undefined,
): Promise<DriftCommit[]> {
  const drift: DriftCommit[] = [];
  let proposedTrees: ReadonlySet<string> | undefined;
  for (const sha of await mirror.firstParents(activeTip, maxDepth)) {
    const commit = await mirror.commit(sha);
    if (await saysPromotion(mirror, commit)) return drift;
    proposedTrees ??= await recentTrees(mirror, proposedTip);
    if (proposedTrees.has(commit.tree)) return drift;
    drift.push({ sha, subject: commit.subject, author: commit.author.name });
  }
  return [];
}

async function saysPromotion(mirror: Mirror, { tree, parents, trailers }: Commit): Promise<boolean> {
  if (trailers['Sha-hydrated-proposed'] !== undefined) return true;
  const [, merged] = parents;
  return merged !== undefined && (await mirror.commit(merged)).tree === tree;
}

async function recentTrees(mirror: Mirror, tip: string | undefined): Promise<Set<string>> {
  if (tip === undefined) return new Set();
  const shas = await mirror.firstParents(tip, maxDepth);
  return new Set(await Promise.all(shas.map(async (sha) => (await mirror.commit(sha)).tree)));
}
