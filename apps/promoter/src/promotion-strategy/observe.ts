import type { CommitStatus, PromotionStrategy, ProposedCommit, RevertCommit } from '@interlock/api';
import { dryAncestry, environmentFacts, history } from '../promotion/facts.js';
import { revertsInForce } from '../promotion/reverts.js';
import { findStatuses } from '../promotion/statuses.js';
import type { Problem } from '../promotion/model.js';
import { isView, type RepositoryView } from '../repository/repositories.js';
import {
  activeKeys,
  activePathOf,
  checkKeys,
  dependenciesOf,
  driftPolicyOf,
  proposedBranchOf,
} from './children.js';
import type { ObservedStrategy, StrategyEnvironment } from './observed.js';

/** The Kubernetes objects of an observation, from the caches or fresh from the API server. */
export interface StrategyResources {
  strategy: PromotionStrategy;
  children: readonly ProposedCommit[];
  /** Those of the strategy's namespace. */
  commitStatuses: readonly CommitStatus[];
  /** Those of the strategy's repository. */
  reverts: readonly RevertCommit[];
}

/** @returns what a decision about a strategy depends on. @throws TypedError of the git layer. */
export async function observeStrategy(
  { strategy, children, commitStatuses, reverts }: StrategyResources,
  view: RepositoryView | Problem,
): Promise<ObservedStrategy> {
  if (!isView(view)) return { strategy, environments: view, descends: () => undefined, children, reverts };
  const environments = await Promise.all(
    strategy.spec.environments.map(async (environment): Promise<StrategyEnvironment> => {
      const proposedBranch = proposedBranchOf(strategy, environment);
      const activePath = activePathOf(strategy, environment);
      const mirror = view.mirror.at(activePath);
      const facts = await environmentFacts(mirror, view.refs, {
        branch: environment.branch,
        proposedBranch,
        ...(activePath !== undefined && { activePath }),
      });
      const sha = facts.active?.hydratedSHA;
      return {
        ...facts,
        dependsOn: dependenciesOf(strategy, environment),
        ...(environment.hold && { hold: environment.hold }),
        driftPolicy: driftPolicyOf(strategy, environment),
        reverts: await revertsInForce(mirror, facts, reverts),
        activeStatuses: findStatuses(activeKeys(strategy, environment), sha, commitStatuses),
        proposedStatuses: findStatuses(
          checkKeys(strategy, environment),
          facts.proposed?.hydratedSHA,
          commitStatuses,
        ),
        history: await history(mirror, facts.tipSHA),
      };
    }),
  );
  const descends = await dryAncestry(view.mirror, environments);
  return { strategy, environments, descends, children, reverts };
}
