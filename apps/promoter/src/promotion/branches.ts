import type { EnvironmentFacts } from './model.js';

/** @returns what is wrong with the branches of an environment: a word, and a sentence that names the fix. */
export function environmentProblem(
  facts: Pick<EnvironmentFacts, 'branch' | 'proposedBranch' | 'active' | 'proposed'>,
): { reason: string; message: string } | undefined {
  const { branch, proposedBranch, active, proposed } = facts;
  if (active === undefined) {
    return {
      reason: 'BranchNotFound',
      message: `branch ${branch} does not exist; create it (it may be empty)`,
    };
  }
  if (proposed === undefined) {
    const message = `branch ${proposedBranch} does not exist; the hydrator has to push to it`;
    return { reason: 'ProposedBranchNotFound', message };
  }
  if (proposed.problem !== undefined) {
    return { reason: 'InvalidHydratorMetadata', message: `${proposedBranch}: ${proposed.problem}` };
  }
  return undefined;
}
