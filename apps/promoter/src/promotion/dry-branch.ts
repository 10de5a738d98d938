import { branchRef, type HistoryReader } from '@interlock/git';
import { isAncestor } from './ancestry.js';
import { isPresent, type Refs } from './hydrated.js';
import type { DryBranch, EnvironmentFacts } from './model.js';

/**
 * Reads where a dry branch is, and how the dry commits of environments lie to each other and to its tip.
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
  const known = [...new Set([...commits, tipSHA].filter(isPresent))];
  const answers = new Map<string, boolean>();
  const pairs = known.flatMap((ancestor) =>
    known.filter((other) => other !== ancestor).map((descendant) => [ancestor, descendant] as const),
  );
  await Promise.all(
    pairs.map(async ([ancestor, descendant]) => {
      const answer = await isAncestor(mirror, ancestor, descendant);
      if (answer !== undefined) answers.set(`${ancestor}..${descendant}`, answer);
    }),
  );
  return {
    name,
    ...(tipSHA !== undefined && { tipSHA }),
    descends: (ancestor, descendant) =>
      ancestor === descendant ? true : answers.get(`${ancestor}..${descendant}`),
  };
}

/** Returns what is wrong with a dry branch; nothing is promoted until it is there. */
export function dryBranchProblem({ name, tipSHA }: Pick<DryBranch, 'name' | 'tipSHA'>) {
  if (tipSHA !== undefined) return undefined;
  const message = `spec.dryBranch: branch ${name} does not exist; create it, or name the branch that is hydrated`;
  return { reason: 'DryBranchNotFound', message };
}
