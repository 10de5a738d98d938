import { timestampOf, type EnvironmentStatus } from '@interlock/api';
import type { HydratedCommit, RevertInForce } from '../promotion/model.js';

const kept = 5;

export type HealthyCommit = NonNullable<EnvironmentStatus['lastHealthyDrySHAs']>[number];

/**
 * Returns the dry commits that were healthy, newest first. A commit that has been reverted since then is not one of them.
 * @param drySHA the dry commit that the environment runs: the dry commit of the active commit, or a newer one that changed nothing.
 * @param healthy whether all active CommitStatuses are successful.
 */
export function lastHealthy(
  before: EnvironmentStatus | undefined,
  { active, reverts }: { active?: HydratedCommit | undefined; reverts: readonly RevertInForce[] },
  drySHA: string | undefined,
  healthy: boolean,
  now: number,
): HealthyCommit[] {
  const rejected = new Set(
    reverts.filter(({ merged }) => merged).map(({ rejectedDrySHA }) => rejectedDrySHA),
  );
  const known = (before?.lastHealthyDrySHAs ?? []).filter(({ sha }) => !rejected.has(sha));
  if (active === undefined || drySHA === undefined || !healthy) return known;
  const [newest] = known;
  if (newest?.sha === drySHA && newest.hydratedSHA === active.hydratedSHA) return known;
  const entry = {
    sha: drySHA,
    time: timestampOf(now),
    hydratedSHA: active.hydratedSHA,
    treeSHA: active.treeSHA,
  };
  return [entry, ...known.filter((other) => other.sha !== drySHA)].slice(0, kept);
}

/** Returns the newest healthy commit that differs from the active one, in name and in content. */
export function healthyTarget(
  known: readonly HealthyCommit[] | undefined,
  active: HydratedCommit,
  activeDrySHA: string | undefined,
): HealthyCommit | undefined {
  return known?.find(
    ({ sha, treeSHA }) => sha !== active.drySHA && sha !== activeDrySHA && treeSHA !== active.treeSHA,
  );
}
