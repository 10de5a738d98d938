import { branchRef } from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { isAncestor } from './ancestry.js';
import type { Refs } from './hydrated.js';
import { maxBehind, type DryBranch, type EnvironmentFacts } from './model.js';

/**
 * Reads the tip of a dry branch, and the order of the dry commits of environments relative to each other and to that tip.
 * @throws TypedError of the git layer.
 */
export async function readDryBranch(
  mirror: HistoryReader,
  refs: Refs,
  name: string,
  environments: readonly EnvironmentFacts[],
): Promise<DryBranch> {
  const tipSHA = refs.get(branchRef(name));
  const commits = environments.flatMap(({ active, proposed, unchangedBy }) => [
    active?.drySHA,
    proposed?.drySHA,
    ...unchangedBy,
  ]);
  const known = [...new Set([...commits, tipSHA].filter((sha) => sha !== undefined))];
  const line = tipSHA === undefined ? [] : await mirror.firstParents(tipSHA, maxBehind);
  const positions = new Map(line.map((sha, position) => [sha, position]));
  const answers = new Map<string, boolean>();
  const pairs = known.flatMap((ancestor) =>
    known.filter((other) => other !== ancestor).map((descendant) => [ancestor, descendant] as const),
  );
  await Promise.all(
    pairs.map(async ([ancestor, descendant]) => {
      const answer =
        orderOf(positions, ancestor, descendant) ?? (await isAncestor(mirror, ancestor, descendant));
      if (answer !== undefined) answers.set(`${ancestor}..${descendant}`, answer);
    }),
  );
  const distances = tipSHA === undefined ? new Map<string, number>() : await measure(mirror, line, known);
  return {
    name,
    tipSHA,
    descends: (ancestor, descendant) =>
      ancestor === descendant ? true : answers.get(`${ancestor}..${descendant}`),
    behind: (drySHA) => distances.get(drySHA),
  };
}

/**
 * Returns whether one commit of a first-parent line comes before another, which does not require git; undefined when one of
 * them is not on the line.
 */
function orderOf(
  positions: ReadonlyMap<string, number>,
  ancestor: string,
  descendant: string,
): boolean | undefined {
  const [older, newer] = [positions.get(ancestor), positions.get(descendant)];
  return older === undefined || newer === undefined ? undefined : older > newer;
}

/**
 * Returns how far commits are behind the tip; commits that are not on the branch are omitted.
 *
 * @param line the tip and its first parents, newest first.
 */
async function measure(
  mirror: HistoryReader,
  line: readonly string[],
  commits: readonly string[],
): Promise<Map<string, number>> {
  const [tipSHA = ''] = line;
  const distances = new Map<string, number>();
  for (const sha of commits) {
    const position = line.indexOf(sha);
    if (position >= 0) distances.set(sha, position);
    else if ((await isAncestor(mirror, sha, tipSHA)) === true) {
      distances.set(sha, await containing(mirror, line, sha));
    }
  }
  return distances;
}

/**
 * Returns the number of commits of a line, newest first, that contain a commit outside of it: the commits before the first one
 * that does not contain it.
 */
async function containing(mirror: HistoryReader, line: readonly string[], sha: string): Promise<number> {
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await isAncestor(mirror, sha, line[middle] ?? '')) === true) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the problems with a dry branch; nothing is promoted until the branch exists. */
export function dryBranchProblem({ name, tipSHA }: Pick<DryBranch, 'name' | 'tipSHA'>) {
  if (tipSHA !== undefined) return undefined;
  const message = `spec.dryBranch: branch ${name} does not exist; create it, or name the branch that is hydrated`;
  return { reason: 'DryBranchNotFound', message };
}
