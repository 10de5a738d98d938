import {
  ClusterScmProvider,
  CommitStatus,
  commitStatusAt,
  conditions,
  GitRepository,
  PromotionStrategy,
  ProposedCommit,
  repositoryKey,
  RevertCommit,
  ScmProvider,
} from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import { getCondition, isControlledBy } from '@interlock/kube';
import { byCommit } from '../promotion/statuses.js';
import { decideStrategy, type StrategyDecision } from '../promotion-strategy/decide.js';
import { observeStrategy } from '../promotion-strategy/observe.js';
import { childrenOfOthers } from '../promotion-strategy/taken-names.js';
import { decideProposedCommit } from '../proposed-commit/decide.js';
import { observeProposedCommit } from '../proposed-commit/observe.js';
import { duplicatesOf } from '../repository/duplicates.js';
import type { Confirmation } from './confirmation.js';
import { isOf, ofRepository } from './fresh.js';
import { gone, mergeRefusal } from './refusal.js';

/** The ProposedCommit of a pull request, and the CommitStatuses of its namespace. */
interface Promotion {
  proposedCommit: ProposedCommit;
  commitStatuses: readonly CommitStatus[];
}

/** Returns why a ProposedCommit, as its strategy defines it now, does not require a merge; undefined when it does. */
export async function promotionRefusal(confirmation: Confirmation): Promise<Problem | undefined> {
  const { reader, view, pullRequest, sha, now } = confirmation;
  const proposedCommit = await reader.controllerOf(ProposedCommit, pullRequest);
  if (proposedCommit === undefined) return gone(ProposedCommit);
  const commitStatuses = (await reader.list(CommitStatus)).map((status) => commitStatusAt(status, now));
  const stored = { proposedCommit, commitStatuses };
  const promotion = await promotionNow(confirmation, stored);
  if (isProblem(promotion)) return promotion;
  const reverts = ofRepository(await reader.list(RevertCommit), proposedCommit);
  const statusesFor = byCommit(promotion.commitStatuses);
  const resources = { proposedCommit: promotion.proposedCommit, statusesFor, pullRequest, reverts };
  const observed = await observeProposedCommit(resources, view);
  return mergeRefusal(decideProposedCommit(observed, now), sha, conditions.promoted);
}

/** Returns the ProposedCommit and the status that a strategy decides now. The stored ones may be based on older data. */
async function promotionNow(
  confirmation: Confirmation,
  { proposedCommit, commitStatuses }: Promotion,
): Promise<OrProblem<Promotion>> {
  if (!isOf(PromotionStrategy, proposedCommit)) return { proposedCommit, commitStatuses };
  const strategy = await confirmation.reader.controllerOf(PromotionStrategy, proposedCommit);
  if (strategy === undefined) return gone(PromotionStrategy);
  const decision = await decideAgain(confirmation, strategy, commitStatuses);
  const { name } = proposedCommit.metadata;
  const child = decision.proposedCommits.find(({ metadata }) => metadata.name === name);
  if (child === undefined) return notProposed(decision);
  return {
    proposedCommit: { ...proposedCommit, spec: { ...proposedCommit.spec, ...child.spec } },
    commitStatuses: [
      ...commitStatuses.filter((status) => !isControlledBy(status, strategy)),
      ...decision.commitStatuses,
    ],
  };
}

async function decideAgain(
  { reader, registry, view, now }: Confirmation,
  strategy: PromotionStrategy,
  commitStatuses: readonly CommitStatus[],
): Promise<StrategyDecision> {
  const [gitRepositories, scmProviders, clusterScmProviders, strategies, proposedCommits, reverts] =
    await Promise.all([
      reader.list(GitRepository),
      reader.list(ScmProvider),
      reader.list(ClusterScmProvider),
      reader.list(PromotionStrategy),
      reader.list(ProposedCommit),
      reader.list(RevertCommit),
    ]);
  const names = { gitRepositories, scmProviders, clusterScmProviders };
  const duplicates = duplicatesOf(repositoryKey(strategy), names, registry).map(({ name }) => name);
  const resources = {
    strategy,
    siblings: strategies.filter(({ spec }) => duplicates.includes(spec.repoRef.name)),
    children: proposedCommits.filter((child) => isControlledBy(child, strategy)),
    others: childrenOfOthers(strategy, proposedCommits, strategies),
    statusesFor: byCommit(commitStatuses),
    reverts: ofRepository(reverts, strategy),
  };
  return decideStrategy(await observeStrategy(resources, view), now);
}

function notProposed({ status }: StrategyDecision): Problem {
  const ready = getCondition(status.conditions, conditions.ready);
  if (ready?.status === 'False') return new Problem(ready.reason, ready.message);
  return new Problem('Withdrawn', 'the strategy no longer has the environment');
}
