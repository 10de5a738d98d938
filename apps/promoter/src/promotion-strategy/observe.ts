import {
  branchRef,
  repositoryKey,
  type PromotionEnvironment,
  type PromotionStrategy,
  type ProposedCommit,
  type RevertCommit,
} from '@interlock/api';
import { isProblem, type OrProblem } from '@interlock/base';
import {
  controllerOf,
  isControlledBy,
  Later,
  type CacheReader,
  type Observation,
  type ObserveContext,
} from '@interlock/kube';
import { childrenOfStrategy, commitStatusesAt, referringTo } from '../caches.js';
import { branchNameProblem } from '../promotion/branch-names.js';
import { deploymentsSince } from '../promotion/deployments.js';
import { readDryBranch } from '../promotion/dry-branch.js';
import { environmentFacts } from '../promotion/facts.js';
import { history } from '../promotion/history.js';
import { Environments } from '../promotion/order.js';
import { findHydrated } from '../promotion/pinned.js';
import { revertsInForce } from '../promotion/reverts.js';
import type { StatusReads } from '../promotion/status-reads.js';
import { findStatuses, type StatusesOfCommit } from '../promotion/statuses.js';
import {
  activeKeys,
  activePathOf,
  branchesOf,
  checkKeys,
  dependenciesOf,
  driftPolicyOf,
  finishesInFlight,
  proposedBranchOf,
} from '../promotion/strategy-spec.js';
import { isStatusCurrent, type RepositoryView } from '../repository/repositories.js';
import { refsOfStrategy } from '../repository/refs.js';
import type { PromoterContext } from '../context.js';
import { latestActive } from './in-flight.js';
import type { ObservedStrategy, StrategyEnvironment } from './observed.js';
import { siblingsOf } from './siblings.js';
import { childNames, childrenOfOthers } from './taken-names.js';

/** The Kubernetes objects of an observation, from the caches or fresh from the API server. */
interface StrategyResources {
  strategy: PromotionStrategy;
  children: readonly ProposedCommit[];
  /** ProposedCommits that it needs and that belong to other strategies. */
  others: readonly ProposedCommit[];
  /** The strategies of its remote, in its namespace: at least those that may promote the same. */
  siblings: readonly PromotionStrategy[];
  /** Returns the CommitStatuses of the strategy's namespace. */
  statusesFor: StatusesOfCommit;
  /** The RevertCommits of the strategy's repository. */
  reverts: readonly RevertCommit[];
}

/** Reads from the caches what a decision about a strategy depends on. @throws TypedError of the git layer. */
export async function readStrategy(
  promoter: Pick<PromoterContext, 'caches' | 'registry' | 'repositories'> & { reads: StatusReads },
  strategy: PromotionStrategy,
  { now }: Pick<ObserveContext, 'now'>,
): Promise<Observation<ObservedStrategy>> {
  const { caches, repositories, reads } = promoter;
  const repository = repositoryKey(strategy);
  const view = repositories.view(repository, refsOfStrategy(strategy));
  if (isStatusCurrent(strategy, view)) return new Later();
  const children = childrenOfStrategy(caches, strategy);
  const resources = {
    strategy,
    children,
    others: othersOf(caches, strategy, children),
    siblings: siblingsOf(promoter, strategy),
    statusesFor: reads.recorded(strategy, commitStatusesAt(caches, repository, now)),
    reverts: referringTo(caches.revertCommits, repository),
  };
  return observeStrategy(resources, view);
}

/** Returns the ProposedCommits that a strategy needs and that belong to other strategies. */
export function othersOf(
  {
    proposedCommits,
    strategies,
  }: { proposedCommits: CacheReader<ProposedCommit>; strategies: CacheReader<PromotionStrategy> },
  strategy: PromotionStrategy,
  children: readonly ProposedCommit[],
): ProposedCommit[] {
  const { namespace } = strategy.metadata;
  const foreign = [...childNames(strategy)]
    .flatMap((name) => proposedCommits.get({ namespace, name }) ?? [])
    .filter((child) => !isControlledBy(child, strategy));
  if (foreign.length === 0) return [];
  const owners = foreign.flatMap((child) => {
    const name = controllerOf(child)?.name;
    return name === undefined ? [] : (strategies.get({ namespace, name }) ?? []);
  });
  return childrenOfOthers(strategy, [...children, ...foreign], owners);
}

/** Returns what a decision about a strategy depends on. @throws TypedError of the git layer. */
export async function observeStrategy(
  resources: StrategyResources,
  view: OrProblem<RepositoryView>,
): Promise<ObservedStrategy> {
  const { strategy, children, others, siblings, reverts } = resources;
  const known = { strategy, children, others, siblings, reverts };
  const { dryBranch: name } = strategy.spec;
  const readable = branchNameProblem(branchesOf(strategy)) ?? view;
  if (isProblem(readable)) {
    const dryBranch = { name, descends: () => undefined, behind: () => undefined };
    return { ...known, environments: readable, dryBranch };
  }
  const { mirror, refs } = readable;
  const readBranch = (all: readonly StrategyEnvironment[]) => readDryBranch(mirror, refs, name, all);
  const isPinned = finishesInFlight(strategy);
  const environments = await observeEnvironments(resources, readable, isPinned);
  const dryBranch = await readBranch(environments);
  const drySHA = isPinned ? latestActive(environments, dryBranch.descends) : undefined;
  if (drySHA === undefined) return { ...known, environments, dryBranch };
  const withLatest = await observeHydrated(resources, readable, environments, drySHA);
  return {
    ...known,
    environments,
    withLatest,
    dryBranch: await readBranch([...environments, ...withLatest]),
  };
}

/** @param isPinned whether the tips of the proposed branches are proposed from separate branches. */
function observeEnvironments(
  resources: StrategyResources,
  view: RepositoryView,
  isPinned: boolean,
): Promise<StrategyEnvironment[]> {
  const { strategy } = resources;
  const tipOf = (environment: PromotionEnvironment) =>
    view.refs.get(branchRef(proposedBranchOf(strategy, environment)));
  return Promise.all(
    strategy.spec.environments.map((environment) =>
      observeEnvironment(resources, view, environment, isPinned ? tipOf(environment) : undefined),
    ),
  );
}

/** Observes the environments for which a dry commit was hydrated, with that commit as the proposal. */
async function observeHydrated(
  resources: StrategyResources,
  view: RepositoryView,
  environments: readonly StrategyEnvironment[],
  drySHA: string,
): Promise<StrategyEnvironment[]> {
  const { strategy } = resources;
  const order = new Environments(environments);
  /* Where the commit runs, nothing is proposed from it, so the search is not needed. */
  const missing = environments.filter((one) => !order.runs(one, drySHA)).map(({ branch }) => branch);
  const observe = async (environment: PromotionEnvironment) => {
    const mirror = view.mirror.at(activePathOf(strategy, environment));
    const sha = await findHydrated(mirror, view.refs, proposedBranchOf(strategy, environment), drySHA);
    return sha === undefined ? [] : [await observeEnvironment(resources, view, environment, sha)];
  };
  const concerned = strategy.spec.environments.filter(({ branch }) => missing.includes(branch));
  return (await Promise.all(concerned.map(observe))).flat();
}

/** @param pinned the commit that is proposed from its own branch; absent if the tip is proposed from the proposed branch. */
async function observeEnvironment(
  { strategy, statusesFor, reverts }: StrategyResources,
  { mirror: whole, refs }: RepositoryView,
  environment: PromotionEnvironment,
  pinned: string | undefined,
): Promise<StrategyEnvironment> {
  const { branch, hold } = environment;
  const activePath = activePathOf(strategy, environment);
  const mirror = whole.at(activePath);
  const facts = await environmentFacts(mirror, refs, {
    branch,
    proposedBranch: proposedBranchOf(strategy, environment),
    activePath,
    pinned,
  });
  const { active, proposed, tipSHA } = facts;
  const known = strategy.status?.environments?.find((one) => one.branch === branch);
  const entries = await history(mirror, tipSHA);
  const { name, uid } = strategy.metadata;
  const reader = { branch, strategy: { name, uid } };
  const statuses = (keys: string[], sha: string | undefined) => findStatuses(keys, sha, statusesFor, reader);
  return {
    ...facts,
    dependsOn: dependenciesOf(strategy, environment),
    hold,
    pinned,
    driftPolicy: driftPolicyOf(strategy, environment),
    reverts: await revertsInForce(mirror, facts, reverts),
    activeStatuses: statuses(activeKeys(strategy, environment), active?.hydratedSHA),
    proposedStatuses: statuses(checkKeys(strategy, environment), proposed?.hydratedSHA),
    history: entries,
    deployments: await deploymentsSince(whole, entries, known),
  };
}
