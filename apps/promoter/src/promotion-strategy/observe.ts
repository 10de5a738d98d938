import type { CommitStatus, PromotionStrategy, ProposedCommit } from '@interlock/api';
import { deploymentsSince } from '../promotion/deployments.js';
import { dryAncestry, environmentFacts, history } from '../promotion/facts.js';
import { findStatuses } from '../promotion/statuses.js';
import type { Problem } from '../promotion/model.js';
import { isView, type RepositoryView } from '../repository/repositories.js';
import { activeKeys, checkKeys, dependenciesOf, driftPolicyOf, proposedBranchOf } from './children.js';
import type { ObservedStrategy, StrategyEnvironment } from './observed.js';

/** The Kubernetes objects of an observation, from the caches or fresh from the API server. */
export interface StrategyResources {
  strategy: PromotionStrategy;
  children: readonly ProposedCommit[];
  /** Those of the strategy's namespace. */
  commitStatuses: readonly CommitStatus[];
}

/** @returns what a decision about a strategy depends on. @throws TypedError of the git layer. */
export async function observeStrategy(
  { strategy, children, commitStatuses }: StrategyResources,
  view: RepositoryView | Problem,
): Promise<ObservedStrategy> {
  if (!isView(view)) return { strategy, environments: view, descends: () => undefined, children };
  const environments = await Promise.all(
    strategy.spec.environments.map(async (environment): Promise<StrategyEnvironment> => {
      const proposedBranch = proposedBranchOf(strategy, environment);
      const facts = await environmentFacts(view.mirror, view.refs, environment.branch, proposedBranch);
      const sha = facts.active?.hydratedSHA;
      const known = strategy.status?.environments?.find(({ branch }) => branch === environment.branch);
      const entries = await history(view.mirror, sha);
      return {
        ...facts,
        dependsOn: dependenciesOf(strategy, environment),
        ...(environment.hold && { hold: environment.hold }),
        driftPolicy: driftPolicyOf(strategy, environment),
        activeStatuses: findStatuses(activeKeys(strategy, environment), sha, commitStatuses),
        proposedStatuses: findStatuses(
          checkKeys(strategy, environment),
          facts.proposed?.hydratedSHA,
          commitStatuses,
        ),
        history: entries,
        deployments: await deploymentsSince(view.mirror, entries, known),
      };
    }),
  );
  return { strategy, environments, descends: await dryAncestry(view.mirror, environments), children };
}
