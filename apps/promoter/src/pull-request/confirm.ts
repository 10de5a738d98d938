import {
  ClusterScmProvider,
  CommitStatus,
  conditions,
  GitRepository,
  isTyped,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  RevertCommit,
  ScmProvider,
  type Condition,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { isControlledBy, getCondition, type ApplyConfiguration, type Client } from '@interlock/kube';
import type { ScmRegistry } from '@interlock/scm';
import { repositoryKey, type RefersToRepository } from '../indexes.js';
import { blocking } from '../promotion/checks.js';
import type { CheckLine } from '../promotion/model.js';
import { Environments } from '../promotion/order.js';
import { evaluateRules } from '../promotion/rules.js';
import { decideProposedCommit } from '../proposed-commit/decide.js';
import { observeProposedCommit } from '../proposed-commit/observe.js';
import { chooseProposals } from '../promotion-strategy/in-flight.js';
import { strategyProblem } from '../promotion-strategy/problem.js';
import { isUnavailable } from '../promotion-strategy/observed.js';
import { observeStrategy } from '../promotion-strategy/observe.js';
import { decideRevert } from '../revert-commit/decide.js';
import { observeRevert } from '../revert-commit/observe.js';
import { duplicatesOf } from '../repository/duplicates.js';
import type { RepositoryView } from '../repository/repositories.js';

const refused = (reason: string, message: string): CheckLine => ({
  name: 'Merge',
  state: 'pending',
  reason,
  message,
});

/**
 * Evaluates the rules again, immediately before a merge: with objects read from the API server, not from a cache, and
 * with refs read from the remote just now.
 * @returns what is in the way, or undefined. A pull request that nobody controls has no rules but the SCM's own.
 */
export async function confirmMerge(
  { client, registry }: Pick<Fresh, 'client' | 'registry'>,
  view: RepositoryView,
  cached: PullRequest,
  sha: string,
  now: number,
): Promise<CheckLine | undefined> {
  const pullRequest = await find(client, PullRequest, cached);
  if (pullRequest?.spec.merge?.sha !== sha) return refused('Withdrawn', 'the merge is no longer wanted');
  const { namespace } = pullRequest.metadata;
  const options = namespace === undefined ? {} : { namespace };
  const [commitStatuses, reverts] = await Promise.all([
    client.list(CommitStatus, options),
    client.list(RevertCommit, options),
  ]);
  const fresh = {
    client,
    registry,
    view,
    pullRequest,
    commitStatuses: commitStatuses.items,
    reverts: reverts.items,
  };
  if (ownerName(pullRequest, ProposedCommit.kind) !== undefined) return promotionBlock(fresh, sha, now);
  if (ownerName(pullRequest, RevertCommit.kind) !== undefined) return revertBlock(fresh, sha, now);
  return undefined;
}

/** What was read just now. */
interface Fresh {
  client: Client;
  registry: Pick<ScmRegistry, 'remoteOf'>;
  view: RepositoryView;
  pullRequest: PullRequest;
  /** Of its namespace, as are the reverts. */
  commitStatuses: readonly CommitStatus[];
  reverts: readonly RevertCommit[];
}

async function promotionBlock(fresh: Fresh, sha: string, now: number): Promise<CheckLine | undefined> {
  const { client, view, pullRequest, commitStatuses } = fresh;
  const proposedCommit = await owner(client, ProposedCommit, pullRequest);
  if (proposedCommit === undefined) return refused('Withdrawn', 'the ProposedCommit is gone');
  const reverts = sameRepository(fresh.reverts, proposedCommit);
  const observed = await observeProposedCommit(
    { proposedCommit, pullRequest, commitStatuses, reverts },
    view,
  );
  const { pullRequest: wanted, status } = decideProposedCommit(observed, now);
  if (mergedBy(wanted) !== sha) return notWanted(status.conditions, conditions.promoted);
  return strategyBlock(fresh, proposedCommit);
}

async function revertBlock(fresh: Fresh, sha: string, now: number): Promise<CheckLine | undefined> {
  const { client, view, pullRequest, commitStatuses } = fresh;
  const revertCommit = await owner(client, RevertCommit, pullRequest);
  if (revertCommit === undefined) return refused('Withdrawn', 'the RevertCommit is gone');
  const { namespace } = pullRequest.metadata;
  const strategies = await client.list(PromotionStrategy, namespace === undefined ? {} : { namespace });
  const resources = {
    revertCommit,
    pullRequest,
    commitStatuses,
    strategies: sameRepository(strategies.items, revertCommit),
    reverts: sameRepository(fresh.reverts, revertCommit),
  };
  const { pullRequest: wanted, status } = decideRevert(await observeRevert(resources, view), now);
  return mergedBy(wanted) === sha ? undefined : notWanted(status.conditions, conditions.reverted);
}

function sameRepository<T extends RefersToRepository>(
  objects: readonly T[],
  { spec }: RefersToRepository,
): T[] {
  return objects.filter((object) => object.spec.repoRef.name === spec.repoRef.name);
}

/** @returns the only commit that a pull request, as it would be applied now, may be merged with. */
function mergedBy(wanted: ApplyConfiguration | undefined): string | undefined {
  return (wanted?.['spec'] as PullRequest['spec'] | undefined)?.merge?.sha;
}

function notWanted(known: readonly Condition[] | undefined, type: string): CheckLine {
  const { reason, message } = getCondition(known, type) ?? getCondition(known, conditions.ready) ?? {};
  return refused(reason ?? 'NotReady', message ?? 'the checks do not pass any more');
}

/* The published promotion status may be older than what it was computed from, so the rules are asked themselves. */
async function strategyBlock(fresh: Fresh, proposedCommit: ProposedCommit): Promise<CheckLine | undefined> {
  const { client, view, commitStatuses } = fresh;
  if (ownerName(proposedCommit, PromotionStrategy.kind) === undefined) return undefined;
  const strategy = await owner(client, PromotionStrategy, proposedCommit);
  if (strategy === undefined) return refused('Withdrawn', 'the PromotionStrategy is gone');
  const { namespace } = strategy.metadata;
  const within = namespace === undefined ? {} : { namespace };
  const siblings = await siblingsOf(fresh, strategy);
  const problem = strategyProblem(strategy, siblings);
  if (problem !== undefined) return refused(problem.reason, problem.message);
  const reverts = sameRepository(fresh.reverts, strategy);
  const children = await client.list(ProposedCommit, within);
  const observed = await observeStrategy(
    {
      strategy,
      siblings,
      children: children.items.filter((child) => isControlledBy(child, strategy)),
      commitStatuses,
      reverts,
    },
    view,
  );
  const { environments: found, dryBranch } = observed;
  if (isUnavailable(found)) return refused(found.reason, found.message);
  const { environments } = chooseProposals(observed, found);
  const environment = environments.find(({ branch }) => branch === proposedCommit.spec.activeBranch);
  if (environment === undefined) return refused('Withdrawn', 'the strategy has no such environment any more');
  return blocking(evaluateRules(new Environments(environments), environment, dryBranch));
}

/** Returns the strategies of the remote of a strategy, itself included. */
async function siblingsOf(
  { client, registry }: Pick<Fresh, 'client' | 'registry'>,
  strategy: PromotionStrategy,
): Promise<PromotionStrategy[]> {
  const { namespace } = strategy.metadata;
  const within = namespace === undefined ? {} : { namespace };
  const [gitRepositories, scmProviders, clusterScmProviders, strategies] = await Promise.all([
    client.list(GitRepository, within),
    client.list(ScmProvider, within),
    client.list(ClusterScmProvider),
    client.list(PromotionStrategy, within),
  ]);
  const names = {
    gitRepositories: gitRepositories.items,
    scmProviders: scmProviders.items,
    clusterScmProviders: clusterScmProviders.items,
  };
  const duplicates = duplicatesOf(repositoryKey(strategy), names, registry).map(({ name }) => name);
  return strategies.items.filter(({ spec }) => duplicates.includes(spec.repoRef.name));
}

function ownerName(object: KubeObject, kind: string): string | undefined {
  return object.metadata.ownerReferences?.find(
    (reference) => reference.controller === true && reference.kind === kind,
  )?.name;
}

async function owner<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: KubeObject,
): Promise<T | undefined> {
  const name = ownerName(object, kind.kind);
  if (name === undefined) return undefined;
  const { namespace } = object.metadata;
  return find(client, kind, { metadata: { name, ...(namespace !== undefined && { namespace }) } });
}

async function find<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: Pick<KubeObject, 'metadata'>,
): Promise<T | undefined> {
  try {
    return await client.get(kind, keyOf({ apiVersion: '', kind: kind.kind, metadata: object.metadata }));
  } catch (error) {
    if (isTyped(error, 'NotFound')) return undefined;
    throw error;
  }
}
