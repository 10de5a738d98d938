import { messageOf, type PromotionStrategy } from '@interlock/api';
import { Problem } from '@interlock/base';
import { branchNameProblem } from '../promotion/branch-names.js';
import { findCycle } from '../promotion/order.js';
import { checkTemplates } from '../promotion/pull-request-text.js';
import { branchesOf, dependenciesOf } from '../promotion/strategy-spec.js';
import { overlapProblem } from './overlap.js';
import { proposedBranchProblem } from './proposed-branches.js';

/**
 * Returns the problems with the spec of a strategy that admission cannot detect; nothing is promoted until it is fixed.
 * @param siblings the strategies of its repository, in its namespace.
 */
export function strategyProblem(
  strategy: PromotionStrategy,
  siblings: readonly PromotionStrategy[],
): Problem | undefined {
  const { environments, pullRequest } = strategy.spec;
  const wrongName = branchNameProblem(branchesOf(strategy));
  if (wrongName !== undefined) return wrongName;
  const cycle = findCycle(
    environments.map((environment) => ({
      branch: environment.branch,
      dependsOn: dependenciesOf(strategy, environment),
    })),
  );
  if (cycle) {
    const [first, ...others] = cycle;
    const text = `${first ?? ''} depends on ${others.join(', which depends on ')}`;
    const message = `spec.environments[].dependsOn: ${text}; remove one of these dependencies`;
    return new Problem('DependencyCycle', message, { transient: false });
  }
  for (const environment of environments) {
    try {
      checkTemplates({ ...pullRequest, ...environment.pullRequest });
    } catch (error) {
      const message = `spec.pullRequest of ${environment.branch}: ${messageOf(error)}`;
      return new Problem('InvalidTemplate', message, { transient: false });
    }
  }
  return overlapProblem(strategy, siblings) ?? proposedBranchProblem(strategy, siblings);
}
