import { shortSHA } from '@interlock/api';
import type { ConditionReason } from '@interlock/kube';
import type { Environments } from './order.js';
import { describeDrift, type ObservedEnvironment, type RevertInForce } from './model.js';

/** Returns why a strategy holds an environment, and how to release it; undefined when it does not. */
export function heldByStrategy({
  branch,
  hold,
  drift,
  driftPolicy,
}: Pick<ObservedEnvironment, 'branch' | 'hold' | 'drift' | 'driftPolicy'>): ConditionReason | undefined {
  if (hold !== undefined) {
    return { reason: 'Held', message: `held: ${hold.reason}; remove the hold to continue` };
  }
  if (driftPolicy !== 'Block' || drift.length === 0) return undefined;
  const message = `${branch} has drifted: ${describeDrift(drift)}; revert the drift there, or choose another driftPolicy`;
  return { reason: 'Drifted', message };
}

/** Returns why the proposed commit is held by a revert, and how to release it; undefined when no revert holds it. */
export function heldByRevert(reverts: readonly RevertInForce[]): ConditionReason | undefined {
  const revert = reverts.find(({ holds }) => holds !== undefined);
  if (revert === undefined) return undefined;
  const rejected = shortSHA(revert.rejectedDrySHA);
  const what =
    revert.holds === 'SameContent'
      ? `the proposed commit has the same content as ${rejected}, which is rejected here`
      : `${rejected} is rejected here`;
  const message = `${what} by RevertCommit ${revert.name}; push a later dry commit that renders other content, or delete the RevertCommit`;
  return { reason: 'Reverted', message };
}

/** Returns why a dry commit waits for another to reach every environment first; undefined when no dry commit is in flight. */
export function heldByFlight(
  environments: Environments,
  { inFlight }: ObservedEnvironment,
  drySHA: string,
): ConditionReason | undefined {
  if (inFlight === undefined || inFlight === drySHA) return undefined;
  const missing = environments.all.filter((one) => !environments.runs(one, inFlight));
  const message = `${shortSHA(inFlight)} is still being promoted to ${missing.map(({ branch }) => branch).join(', ')}; ${shortSHA(drySHA)} follows after that (promotionPolicy FinishInFlight)`;
  return { reason: 'InFlight', message };
}

/**
 * Returns why a dry commit is not promoted further: a preceding environment is being reverted from it, or has been reverted from
 * it.
 * @param before the environments that must run a dry commit first.
 */
export function rejectedBefore(
  before: readonly ObservedEnvironment[],
  drySHA: string,
): ConditionReason | undefined {
  for (const environment of before) {
    const revert = environment.reverts.find((one) => rejects(one, environment, drySHA));
    if (revert === undefined) continue;
    const message = `${shortSHA(drySHA)} is rejected in ${environment.branch} by RevertCommit ${revert.name}; push a later dry commit, or delete the RevertCommit`;
    return { reason: 'Reverted', message };
  }
  return undefined;
}

/* Until it is merged, the environment runs the rejected commit, also under dry commits that changed nothing there. */
function rejects(
  { rejectedDrySHA, merged }: RevertInForce,
  { active, unchangedBy }: ObservedEnvironment,
  drySHA: string,
): boolean {
  if (rejectedDrySHA === undefined || rejectedDrySHA === drySHA) return rejectedDrySHA === drySHA;
  const running = [active?.drySHA, ...unchangedBy];
  return !merged && running.includes(rejectedDrySHA) && running.includes(drySHA);
}
