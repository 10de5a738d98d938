import {
  CommitStatus,
  isTyped,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import type { Client } from '@interlock/kube';
import { blocking } from '../promotion/checks.js';
import type { CheckLine } from '../promotion/model.js';
import { Environments } from '../promotion/order.js';
import { evaluateRules } from '../promotion/rules.js';
import { decideProposedCommit } from '../proposed-commit/decide.js';
import { observeProposedCommit } from '../proposed-commit/observe.js';
import { strategyProblem } from '../promotion-strategy/problem.js';
import { isUnavailable } from '../promotion-strategy/observed.js';
import { observeStrategy } from '../promotion-strategy/observe.js';
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
  client: Client,
  view: RepositoryView,
  cached: PullRequest,
  sha: string,
  now: number,
): Promise<CheckLine | undefined> {
  const pullRequest = await find(client, PullRequest, cached);
  if (pullRequest?.spec.merge?.sha !== sha) return refused('Withdrawn', 'the merge is no longer wanted');
  if (ownerName(pullRequest, ProposedCommit.kind) === undefined) return undefined;
  const proposedCommit = await owner(client, ProposedCommit, pullRequest);
  if (proposedCommit === undefined) return refused('Withdrawn', 'the ProposedCommit is gone');

  const { namespace } = pullRequest.metadata;
  const { items: commitStatuses } = await client.list(
    CommitStatus,
    namespace === undefined ? {} : { namespace },
  );
  const observed = await observeProposedCommit({ proposedCommit, pullRequest, commitStatuses }, view);
  const { pullRequest: wanted, status } = decideProposedCommit(observed, now);
  const merge = (wanted?.['spec'] as PullRequest['spec'] | undefined)?.merge;
  if (merge?.sha !== sha) {
    const promoted = status.conditions?.find((condition) => condition.type === 'Promoted');
    return refused(promoted?.reason ?? 'NotReady', promoted?.message ?? 'the checks do not pass any more');
  }
  return strategyBlock(client, view, proposedCommit, commitStatuses);
}

/* The published promotion status may be older than what it was computed from, so the rules are asked themselves. */
async function strategyBlock(
  client: Client,
  view: RepositoryView,
  proposedCommit: ProposedCommit,
  commitStatuses: readonly CommitStatus[],
): Promise<CheckLine | undefined> {
  if (ownerName(proposedCommit, PromotionStrategy.kind) === undefined) return undefined;
  const strategy = await owner(client, PromotionStrategy, proposedCommit);
  if (strategy === undefined) return refused('Withdrawn', 'the PromotionStrategy is gone');
  const problem = strategyProblem(strategy);
  if (problem !== undefined) return refused(problem.reason, problem.message);
  const { environments, descends } = await observeStrategy({ strategy, children: [], commitStatuses }, view);
  if (isUnavailable(environments)) return refused(environments.reason, environments.message);
  const environment = environments.find(({ branch }) => branch === proposedCommit.spec.activeBranch);
  if (environment === undefined) return refused('Withdrawn', 'the strategy has no such environment any more');
  return blocking(evaluateRules(new Environments(environments), environment, descends));
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
