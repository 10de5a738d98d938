import { conditions, shortSHA, type Condition, type EnvironmentStatus } from '@interlock/api';
import { markReady, markReconciling, setCondition, type ConditionReason } from '@interlock/kube';
import { environmentProblem } from '../promotion/branches.js';
import { blocking } from '../promotion/checks.js';
import { dryBranchProblem } from '../promotion/dry-branch.js';
import { isProposing, type DryBranch } from '../promotion/model.js';
import type { Environments } from '../promotion/order.js';
import { isRule } from '../promotion/rules.js';
import type { ObservedStrategy } from './observed.js';

/**
 * Returns the conditions of a strategy whose repository is known. Pure; `now` in milliseconds since the epoch.
 *
 * @param statuses of the environments, in their order, as they will be written.
 */
export function strategyConditions(
  { strategy, dryBranch }: Pick<ObservedStrategy, 'strategy' | 'dryBranch'>,
  environments: Environments,
  statuses: readonly EnvironmentStatus[],
  now: number,
): Condition[] {
  const known = strategy.status?.conditions;
  const generation = strategy.metadata.generation ?? 0;
  const problems = [dryBranchProblem(dryBranch), ...environments.all.map((one) => environmentProblem(one))];
  const [first, ...others] = problems.filter((problem) => problem !== undefined);
  const broken = first && {
    reason: first.reason,
    message: [first, ...others].map(({ message }) => message).join('; '),
  };
  const reconciled = { reason: 'Reconciled', message: `${environments.all.length} environments` };
  const ready = broken
    ? markReconciling(known, broken, generation, now)
    : markReady(known, reconciled, generation, now);
  const waiting = waitingFor(environments, statuses);
  const unknown = broken ?? notHydrated(environments, dryBranch);
  const promoted = {
    reason: 'UpToDate',
    message: 'every environment runs the commit that is proposed for it',
  };
  const type = conditions.promoted;
  if (waiting !== undefined)
    return setCondition(ready, { type, status: 'False', ...waiting }, generation, now);
  return unknown === undefined
    ? setCondition(ready, { type, status: 'True', ...promoted }, generation, now)
    : setCondition(ready, { type, status: 'Unknown', ...unknown }, generation, now);
}

function waitingFor(
  environments: Environments,
  statuses: readonly EnvironmentStatus[],
): ConditionReason | undefined {
  const promoting = environments.all.filter(isProposing).map(({ branch }) => branch);
  if (promoting.length === 0) return undefined;
  for (const { branch, checks } of statuses) {
    const block = blocking(checks ?? []);
    if (block === undefined) continue;
    const message = `${branch}: ${isRule(block) ? '' : `${block.name}: `}${block.message}`;
    return { reason: 'Waiting', message };
  }
  return { reason: 'Promoting', message: `promoting to ${promoting.join(', ')}` };
}

/**
 * Returns the reason when the tip of the dry branch is not hydrated. While a hydrator does not run, nothing is proposed,
 * which resembles success. An unknown state therefore does not count as promoted.
 */
function notHydrated({ all }: Environments, { name, tipSHA }: DryBranch): ConditionReason | undefined {
  const missing = all.filter(({ active, proposed, unchangedBy }) => {
    const hydrated = [active?.drySHA, proposed?.drySHA, ...unchangedBy];
    return tipSHA !== undefined && !hydrated.includes(tipSHA);
  });
  if (missing.length === 0) return undefined;
  const branches = missing.map(({ branch }) => branch).join(', ');
  const targets = missing.map(({ proposedBranch }) => proposedBranch).join(', ');
  const message = `${name} is at ${shortSHA(tipSHA)}, which is not hydrated for ${branches}; the hydrator has to push to ${targets}, or to write a note where the output is unchanged`;
  return { reason: 'NotHydrated', message };
}
