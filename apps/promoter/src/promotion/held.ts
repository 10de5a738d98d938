import { short, type Problem, type RevertInForce } from './model.js';

/** @returns why the proposed commit is held by a revert, and what releases it; undefined when none holds it. */
export function heldByRevert(reverts: readonly RevertInForce[]): Problem | undefined {
  const revert = reverts.find(({ holds }) => holds !== undefined);
  if (revert === undefined) return undefined;
  const rejected = short(revert.rejectedDrySHA);
  const what =
    revert.holds === 'SameContent'
      ? `what is proposed has the very content of ${rejected}, which is rejected here`
      : `${rejected} is rejected here`;
  const message = `${what} by RevertCommit ${revert.name}; a dry commit after it that renders something else moves on, or delete the RevertCommit`;
  return { reason: 'Reverted', message };
}
