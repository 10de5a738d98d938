import { conditions, type ProposedCommit, type ProposedCommitStatus } from '@interlock/api';
import {
  markReady,
  markReconciling,
  markStalled,
  markWhile,
  setCondition,
  type ConditionReason,
} from '@interlock/kube';
import { checkOf, since } from '../promotion/checks.js';
import { describeDrift, laterTip, type HydratedCommit, type StatusFinding } from '../promotion/model.js';
import { aggregate } from '../promotion/statuses.js';
import type { ObservedProposedCommit, ProposedCommitFacts } from './observed.js';

/** Returns the status when the branches are known. If `waiting` is absent, everything that is proposed is active. */
export function knownStatus(
  observed: ObservedProposedCommit,
  waiting: ConditionReason | undefined,
  now: number,
): ProposedCommitStatus {
  const { proposedCommit, facts, proposedStatuses } = observed;
  const before = proposedCommit.status;
  const generation = proposedCommit.metadata.generation ?? 0;
  const ready = markReady(
    before?.conditions,
    { reason: 'Reconciled', message: 'the branches and the checks are known' },
    generation,
    now,
  );
  const promoted = setCondition(
    ready,
    waiting === undefined
      ? { type: conditions.promoted, status: 'True', ...upToDate(facts) }
      : { type: conditions.promoted, status: 'False', ...waiting },
    generation,
    now,
  );
  const rejected = { type: conditions.rejected, because: rejection(waiting) };
  const drifted = { type: conditions.drifted, because: driftOf(facts, waiting) };
  return {
    observedGeneration: generation,
    conditions: markWhile(markWhile(promoted, rejected, generation, now), drifted, generation, now),
    ...branchStates(observed),
    commitStatuses: proposedStatuses.map(({ key, phase }) => ({ key, phase })),
    checks: waiting === undefined ? [] : since(proposedStatuses.map(checkOf), before?.checks, now),
    history: [...facts.history],
  };
}

function upToDate({ proposed, proposedBranch }: ProposedCommitFacts): ConditionReason {
  if (proposed !== undefined) return { reason: 'UpToDate', message: 'runs the proposed commit' };
  const message = `nothing is proposed: ${proposedBranch} was deleted after its proposal was promoted`;
  return { reason: 'NothingProposed', message };
}

/** Returns the status when something is wrong with the branches: whether the proposed commit is active is unknown. */
export function brokenStatus(
  proposedCommit: ProposedCommit,
  problem: ConditionReason,
  now: number,
): ProposedCommitStatus {
  const { status: before, metadata } = proposedCommit;
  const generation = metadata.generation ?? 0;
  const notReady = markReconciling(before?.conditions, problem, generation, now);
  const unknown = { type: conditions.promoted, status: 'Unknown', ...problem } as const;
  return {
    ...before,
    observedGeneration: generation,
    conditions: setCondition(notReady, unknown, generation, now),
  };
}

/** Returns the status when the spec has to be changed. */
export function stalledStatus(
  proposedCommit: ProposedCommit,
  problem: ConditionReason,
  now: number,
): ProposedCommitStatus {
  const generation = proposedCommit.metadata.generation ?? 0;
  return {
    ...proposedCommit.status,
    observedGeneration: generation,
    conditions: markStalled(proposedCommit.status?.conditions, problem, generation, now),
  };
}

function branchStates({ facts, activeStatuses, proposedStatuses }: ObservedProposedCommit) {
  return {
    ...(facts.active && {
      active: { ...branchState(facts.active, activeStatuses), ...laterTip(facts) },
    }),
    ...(facts.proposed && { proposed: branchState(facts.proposed, proposedStatuses) }),
  };
}

function branchState(commit: HydratedCommit, statuses: readonly StatusFinding[]) {
  return {
    ...(commit.drySHA !== undefined && { drySHA: commit.drySHA }),
    hydratedSHA: commit.hydratedSHA,
    commitStatus: aggregate(statuses),
  };
}

function rejection(waiting: ConditionReason | undefined): ConditionReason | undefined {
  if (waiting?.reason !== 'Rejected') return undefined;
  return { reason: 'ClosedByPerson', message: waiting.message };
}

function driftOf(
  { drift }: ProposedCommitFacts,
  waiting: ConditionReason | undefined,
): ConditionReason | undefined {
  if (waiting?.reason === 'SetBack') return waiting;
  if (drift.length === 0) return undefined;
  const message = `commits that were not made by a promotion: ${describeDrift(drift)}`;
  return { reason: 'ForeignCommits', message };
}
