import { conditions, type ProposedCommit } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import type { Descends, ObservedEnvironment } from '../promotion/model.js';
import { Environments } from '../promotion/order.js';
import { isFailed } from '../promotion/statuses.js';
import type { StrategyEnvironment } from './observed.js';

/**
 * @returns the newest dry commit that has reached an environment, unless it has reached all of them: the one on its way.
 * It is on its way no more when it fails where it has arrived, or is taken back.
 */
export function inFlight(all: readonly ObservedEnvironment[], descends: Descends): string | undefined {
  const environments = new Environments(all);
  const active = all.flatMap((environment) => environments.activeDrySHA(environment) ?? []);
  const newest = active.find((drySHA) => active.every((other) => descends(other, drySHA) === true));
  if (newest === undefined || all.every((environment) => environments.runs(environment, newest))) {
    return undefined;
  }
  const stopped = all.some(
    (environment) =>
      environment.reverts.some(({ rejectedDrySHA }) => rejectedDrySHA === newest) ||
      (environments.runs(environment, newest) && environment.activeStatuses.some(isFailed)),
  );
  return stopped ? undefined : newest;
}

/**
 * @param environments with the dry commit on its way as what is proposed, where it was hydrated.
 * @param children the ProposedCommits of the strategy.
 * @returns whether it cannot go on: an environment was hydrated for a newer one without it, a check failed, or a person
 *   closed its pull request. One that has yet to be hydrated can.
 */
export function isStuck(
  environments: readonly StrategyEnvironment[],
  drySHA: string,
  children: readonly ProposedCommit[],
  descends: Descends,
): boolean {
  const order = new Environments(environments);
  return environments.some((environment) => {
    const { branch, proposed, proposedStatuses, unchangedBy } = environment;
    if (order.runs(environment, drySHA) || unchangedBy.includes(drySHA)) return false;
    if (proposed?.drySHA === undefined) return false;
    if (proposed.drySHA !== drySHA) return descends(drySHA, proposed.drySHA) === true;
    return proposedStatuses.some(isFailed) || isRejected(children, branch, proposed.hydratedSHA);
  });
}

function isRejected(children: readonly ProposedCommit[], branch: string, hydratedSHA: string): boolean {
  const status = children.find(({ spec }) => spec.activeBranch === branch)?.status;
  const rejected = getCondition(status?.conditions, conditions.rejected)?.status === 'True';
  return rejected && status?.proposed?.hydratedSHA === hydratedSHA;
}
