import type { EnvironmentFacts } from './model.js';

/** Returns the problems with the branches of an environment: a reason, and a message that names the fix. */
export function environmentProblem(
  facts: Pick<EnvironmentFacts, 'branch' | 'proposedBranch' | 'active' | 'proposed' | 'promotedSHA'>,
): { reason: string; message: string } | undefined {
  const { branch, proposedBranch, active, proposed, promotedSHA } = facts;
  if (active === undefined) {
    return {
      reason: 'BranchNotFound',
      message: `branch ${branch} does not exist; create it (it may be empty)`,
    };
  }
  /* An SCM may delete a merged branch; then nothing is proposed until the hydrator pushes again. */
  if (proposed === undefined) {
    if (promotedSHA !== undefined) return undefined;
    const message = `branch ${proposedBranch} does not exist; the hydrator has to push to it`;
    return { reason: 'ProposedBranchNotFound', message };
  }
  if (proposed.problem !== undefined) {
    return { reason: 'InvalidHydratorMetadata', message: `${proposedBranch}: ${proposed.problem}` };
  }
  return undefined;
}
