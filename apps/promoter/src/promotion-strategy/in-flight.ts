import { conditions, type ProposedCommit } from '@interlock/api';
import { isTrue } from '@interlock/kube';
import type { Descends, ObservedEnvironment } from '../promotion/model.js';
import { Environments } from '../promotion/order.js';
import { isFailed } from '../promotion/statuses.js';
import type { ObservedStrategy, StrategyEnvironment } from './observed.js';

/** What is proposed for the environments of a strategy. */
export interface Proposals {
  environments: readonly StrategyEnvironment[];
  /** The dry commit in flight that cannot continue. */
  overtaken?: string | undefined;
}

/**
 * Returns the environments with their proposals: the dry commit in flight, if there is one, until it has arrived, or else
 * the tips of their proposed branches. Pure.
 */
export function chooseProposals(
  {
    strategy,
    children,
    dryBranch,
    withLatest,
  }: Pick<ObservedStrategy, 'strategy' | 'children' | 'dryBranch' | 'withLatest'>,
  environments: readonly StrategyEnvironment[],
): Proposals {
  const { descends } = dryBranch;
  const drySHA = withLatest && inFlight(environments, descends);
  if (drySHA === undefined) return { environments };
  /* A commit that could not continue does not come back when a newer proposal hides the reason. */
  if (drySHA === strategy.status?.overtakenDrySHA) return { environments, overtaken: drySHA };
  const order = new Environments(environments);
  const flying = environments.map((environment) => {
    const hydrated = withLatest?.find(({ branch }) => branch === environment.branch);
    const hasArrived = order.runs(environment, drySHA);
    return { ...(hasArrived ? environment : (hydrated ?? environment)), inFlight: drySHA };
  });
  return isStuck(flying, drySHA, children, descends)
    ? { environments, overtaken: drySHA }
    : { environments: flying };
}

/** Returns the newest dry commit that runs in an environment; undefined if git cannot order them. */
export function latestActive(all: readonly ObservedEnvironment[], descends: Descends): string | undefined {
  const environments = new Environments(all);
  const active = all.flatMap((environment) => environments.activeDrySHA(environment) ?? []);
  return active.find((drySHA) => active.every((other) => descends(other, drySHA) === true));
}

/**
 * Returns the dry commit in flight: the newest one that has reached an environment, unless it has reached all of them, fails
 * where it has arrived, or is reverted.
 */
export function inFlight(all: readonly ObservedEnvironment[], descends: Descends): string | undefined {
  const environments = new Environments(all);
  const newest = latestActive(all, descends);
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
 * Returns whether a dry commit in flight cannot continue: an environment was hydrated for a newer commit but not for this
 * one, a check failed, or a user closed its pull request. A commit that is not hydrated yet can continue.
 *
 * @param environments that propose the dry commit in flight, where it was hydrated.
 * @param children the ProposedCommits of the strategy.
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
  const rejected = isTrue(status?.conditions, conditions.rejected);
  return rejected && status?.proposed?.hydratedSHA === hydratedSHA;
}
