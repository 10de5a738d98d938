import type { EnvironmentStatus, PromotionStrategy } from '@interlock/api';

/** The commits of an environment in git. */
export interface Tips {
  active: string;
  proposed: string;
  /** The dry commit for which the proposed branch was hydrated. */
  proposedDrySHA: string | undefined;
  /** Whether the dry branch contains this dry commit. */
  isOnDryBranch: boolean;
}

/** Reasons of an environment that waits for a new dry commit or for a user. */
const lasting = new Set(['Backwards', 'Diverged', 'WaitingForEnvironment', 'Held', 'Reverted']);

/** Reasons that pass when the promoter reads the dry branch, unless the dry commit is not on it. */
const ofDryBranch = new Set(['NotOnDryBranch', 'UnknownDryCommit']);

/** The lines of a decision that do not concern CommitStatuses. */
const rules = new Set(['Forward', 'Order', 'Healthy', 'NotHeld']);

/**
 * Returns the reason why the apps still have work, or undefined if they have none until a further change.
 *
 * @param tips the commits in the repository now, by environment branch
 * @param held the environment branch for which a change waits for a CommitStatus until a user acts
 */
export function unsettled(
  strategy: PromotionStrategy,
  tips: ReadonlyMap<string, Tips>,
  held?: string,
): string | undefined {
  const environments = strategy.status?.environments ?? [];
  for (const [branch, tip] of tips) {
    const environment = environments.find((one) => one.branch === branch);
    const reason = environment === undefined ? 'not reported yet' : motion(environment, tip, branch === held);
    if (reason !== undefined) return `${branch}: ${reason}`;
  }
  return undefined;
}

function motion(
  { active, proposed, checks = [] }: EnvironmentStatus,
  tip: Tips,
  isHeld: boolean,
): string | undefined {
  if (active?.hydratedSHA !== tip.active) return 'the environment branch changed';
  if (proposed?.hydratedSHA !== tip.proposed) return 'the proposed branch changed';
  if (proposed.drySHA !== tip.proposedDrySHA) return 'the note of the proposed commit changed';
  if (active.commitStatus === 'in-progress') return 'rolling out';
  const [first] = checks.filter((check) => check.state !== 'success');
  if (first === undefined) return checks.length === 0 ? undefined : 'being promoted';
  if (isHeld && first.state === 'pending' && !rules.has(first.name)) return undefined;
  const lasts = lasting.has(first.reason) || (ofDryBranch.has(first.reason) && !tip.isOnDryBranch);
  return lasts || first.state === 'failure' ? undefined : first.message;
}
