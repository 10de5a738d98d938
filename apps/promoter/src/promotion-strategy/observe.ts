import type {
  CommitStatus,
  PromotionEnvironment,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
} from '@interlock/api';
import { branchRef, type HistoryReader } from '@interlock/git';
import { deploymentsSince } from '../promotion/deployments.js';
import { readDryBranch } from '../promotion/dry-branch.js';
import { environmentFacts } from '../promotion/facts.js';
import { history } from '../promotion/history.js';
import { Environments } from '../promotion/order.js';
import { findHydrated } from '../promotion/pinned.js';
import { revertsInForce } from '../promotion/reverts.js';
import { findStatuses, statusesOf } from '../promotion/statuses.js';
import {
  activeKeys,
  activePathOf,
  checkKeys,
  dependenciesOf,
  driftPolicyOf,
  finishesInFlight,
  proposedBranchOf,
} from '../promotion/strategy-spec.js';
import type { Problem } from '../promotion/model.js';
import { isView, type RepositoryView } from '../repository/repositories.js';
import { inFlight, isStuck } from './in-flight.js';
import type { ObservedStrategy, StrategyEnvironment } from './observed.js';

/** The Kubernetes objects of an observation, from the caches or fresh from the API server. */
export interface StrategyResources {
  strategy: PromotionStrategy;
  children: readonly ProposedCommit[];
  /** The strategies of its repository, in its namespace. */
  siblings: readonly PromotionStrategy[];
  /** Those of the strategy's namespace. */
  commitStatuses: readonly CommitStatus[];
  /** Those of the strategy's repository. */
  reverts: readonly RevertCommit[];
}

/** @returns what a decision about a strategy depends on. @throws TypedError of the git layer. */
export async function observeStrategy(
  resources: StrategyResources,
  view: RepositoryView | Problem,
): Promise<ObservedStrategy> {
  const { strategy, children, siblings, reverts } = resources;
  const known = { strategy, children, siblings, reverts };
  const { dryBranch: name } = strategy.spec;
  if (!isView(view)) {
    return {
      ...known,
      environments: view,
      dryBranch: { name, descends: () => undefined, behind: () => undefined },
    };
  }
  const { environments, overtaken } = finishesInFlight(strategy)
    ? await observeInFlight(resources, view)
    : { environments: await observeAll(resources, view) };
  const dryBranch = await readDryBranch(view.mirror, view.refs, name, environments);
  return { ...known, environments, dryBranch, ...(overtaken !== undefined && { overtaken }) };
}

/** With what is on its way as what is proposed; without that, with the tips of the proposed branches. */
async function observeInFlight(
  resources: StrategyResources,
  view: RepositoryView,
): Promise<{ environments: StrategyEnvironment[]; overtaken?: string }> {
  const { strategy, children } = resources;
  const { mirror, refs } = view;
  const descendsIn = async (all: readonly StrategyEnvironment[]) =>
    (await readDryBranch(mirror, refs, strategy.spec.dryBranch, all)).descends;
  const newest = await observeAll(resources, view, ({ proposedSHA }) => Promise.resolve(proposedSHA));
  const drySHA = inFlight(newest, await descendsIn(newest));
  if (drySHA === undefined) return { environments: newest };
  /* What could not go on once does not come back when a newer proposal hides why. */
  if (drySHA === strategy.status?.overtakenDrySHA) return { environments: newest, overtaken: drySHA };
  const order = new Environments(newest);
  const arrived = new Set(newest.filter((one) => order.runs(one, drySHA)).map(({ branch }) => branch));
  const choose = async ({ branch, mirror, proposedBranch, proposedSHA }: ProposedTip) =>
    arrived.has(branch)
      ? proposedSHA
      : ((await findHydrated(mirror, view.refs, proposedBranch, drySHA)) ?? proposedSHA);
  const flying = await observeAll(resources, view, choose, drySHA);
  return isStuck(flying, drySHA, children, await descendsIn(flying))
    ? { environments: newest, overtaken: drySHA }
    : { environments: flying };
}

interface ProposedTip {
  /** Of the environment. */
  branch: string;
  /** At the active path. */
  mirror: HistoryReader;
  proposedBranch: string;
  proposedSHA: string | undefined;
}

/** @param pin chooses the commit to propose from a branch of its own; absent: the tips are proposed from where they are. */
function observeAll(
  { strategy, commitStatuses, reverts }: StrategyResources,
  { mirror: whole, refs }: RepositoryView,
  pin?: (tip: ProposedTip) => Promise<string | undefined>,
  drySHA?: string,
): Promise<StrategyEnvironment[]> {
  const observe = async (environment: PromotionEnvironment): Promise<StrategyEnvironment> => {
    const proposedBranch = proposedBranchOf(strategy, environment);
    const activePath = activePathOf(strategy, environment);
    const mirror = whole.at(activePath);
    const proposedSHA = refs.get(branchRef(proposedBranch));
    const pinned = await pin?.({ branch: environment.branch, mirror, proposedBranch, proposedSHA });
    const facts = await environmentFacts(mirror, refs, {
      branch: environment.branch,
      proposedBranch,
      ...(activePath !== undefined && { activePath }),
      ...(pinned !== undefined && { pinned }),
    });
    const { active, proposed, tipSHA } = facts;
    const known = strategy.status?.environments?.find(({ branch }) => branch === environment.branch);
    const entries = await history(mirror, tipSHA);
    const { name, uid } = strategy.metadata;
    const candidates = statusesOf(commitStatuses, {
      branch: environment.branch,
      strategy: { name, uid },
    });
    const statuses = (keys: string[], sha: string | undefined) => findStatuses(keys, sha, candidates);
    return {
      ...facts,
      dependsOn: dependenciesOf(strategy, environment),
      ...(environment.hold && { hold: environment.hold }),
      ...(pinned !== undefined && { pinned }),
      ...(drySHA !== undefined && { inFlight: drySHA }),
      driftPolicy: driftPolicyOf(strategy, environment),
      reverts: await revertsInForce(mirror, facts, reverts),
      activeStatuses: statuses(activeKeys(strategy, environment), active?.hydratedSHA),
      proposedStatuses: statuses(checkKeys(strategy, environment), proposed?.hydratedSHA),
      history: entries,
      deployments: await deploymentsSince(whole, entries, known),
    };
  };
  return Promise.all(strategy.spec.environments.map(observe));
}
