import { conditions, type Condition, type ProposedCommit, type ProposedCommitStatus } from '@interlock/api';
import {
  markReady,
  markReconciling,
  markStalled,
  removeCondition,
  setCondition,
  type ConditionReason,
} from '@interlock/kube';
import { checkOf, since } from '../promotion/checks.js';
import { describeDrift, laterTip, type HydratedCommit, type StatusFinding } from '../promotion/model.js';
import { aggregate } from '../promotion/statuses.js';
import type { ObservedProposedCommit, ProposedCommitFacts } from './observed.js';

/** @returns the status when the branches are known. `waiting` absent: everything proposed is active. */
export function knownStatus(
  observed: ObservedProposedCommit,
  facts: ProposedCommitFacts,
  waiting: ConditionReason | undefined,
  now: number,
): ProposedCommitStatus {
  const { proposedCommit, proposedStatuses } = observed;
  const before = proposedCommit.status;
  const generation = proposedCommit.metadata.generation ?? 0;
  const ready = markReady(
    before?.conditions,
    { reason: 'Reconciled', message: 'branches and checks are known' },
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
  return {
    observedGeneration: generation,
    conditions: drifted(rejected(promoted, waiting, generation, now), facts, waiting, generation, now),
    ...branchStates(observed, facts),
    commitStatuses: proposedStatuses.map(({ key, phase }) => ({ key, phase })),
    checks: waiting === undefined ? [] : since(proposedStatuses.map(checkOf), before?.checks, now),
    history: [...facts.history],
  };
}

function upToDate({ proposed, proposedBranch }: ProposedCommitFacts): ConditionReason {
  if (proposed !== undefined) return { reason: 'UpToDate', message: 'runs what is proposed' };
  const message = `nothing is proposed: ${proposedBranch} was deleted after what it proposed was promoted`;
  return { reason: 'NothingProposed', message };
}

/** Returns the status when something is wrong with the branches: whether what is proposed is active is unknown. */
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

/** @returns the status when the spec has to be changed. */
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

function branchStates(observed: ObservedProposedCommit, facts: ProposedCommitFacts) {
  return {
    ...(facts.active && {
      active: { ...branchState(facts.active, observed.activeStatuses), ...laterTip(facts) },
    }),
    ...(facts.proposed && { proposed: branchState(facts.proposed, observed.proposedStatuses) }),
  };
}

function branchState(commit: HydratedCommit, statuses: readonly StatusFinding[]) {
  return {
    ...(commit.drySHA !== undefined && { drySHA: commit.drySHA }),
    hydratedSHA: commit.hydratedSHA,
    commitStatus: aggregate(statuses),
  };
}

function rejected(
  known: Condition[],
  waiting: ConditionReason | undefined,
  generation: number,
  now: number,
): Condition[] {
  const type = conditions.rejected;
  if (waiting?.reason === 'Rejected') {
    const message = waiting.message;
    return setCondition(known, { type, status: 'True', reason: 'ClosedByPerson', message }, generation, now);
  }
  return removeCondition(known, type);
}

function drifted(
  known: Condition[],
  facts: ProposedCommitFacts,
  waiting: ConditionReason | undefined,
  generation: number,
  now: number,
): Condition[] {
  const type = conditions.drifted;
  if (waiting?.reason === 'SetBack') {
    return setCondition(known, { type, status: 'True', ...waiting }, generation, now);
  }
  if (facts.drift.length === 0) return removeCondition(known, type);
  const message = `commits that no promotion made: ${describeDrift(facts.drift)}`;
  return setCondition(known, { type, status: 'True', reason: 'ForeignCommits', message }, generation, now);
}
