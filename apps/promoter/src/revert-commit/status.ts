import {
  conditions,
  type RevertCommit,
  type RevertCommitState,
  type RevertCommitStatus,
} from '@interlock/api';
import {
  markReady,
  markReconciling,
  markStalled,
  removeCondition,
  setCondition,
  type ConditionReason,
} from '@interlock/kube';
import { since } from '../promotion/checks.js';
import type { CheckLine } from '../promotion/model.js';
import type { Rejected, Subject } from './observed.js';

/** How far a revert has come. */
export interface Progress {
  state: RevertCommitState;
  inForce: boolean;
  /** What it waits for, or how it ended; a merged one says that it is. */
  because: ConditionReason;
  lines: readonly CheckLine[];
  revertSHA?: string | undefined;
}

/** @returns the status of a RevertCommit whose target is known. */
export function progressStatus(
  { status: before, metadata }: RevertCommit,
  { state, inForce, because, lines, revertSHA }: Progress,
  pullRequest: string | undefined,
  now: number,
): RevertCommitStatus {
  const generation = metadata.generation ?? 0;
  const ready = markReady(
    before?.conditions,
    { reason: 'Reconciled', message: 'target, branch and checks are known' },
    generation,
    now,
  );
  const type = conditions.reverted;
  const status = state === 'Merged' ? 'True' : 'False';
  const reverted = setCondition(ready, { type, status, ...because }, generation, now);
  const rejected = { type: conditions.rejected, status: 'True', ...because } as const;
  return {
    ...before,
    observedGeneration: generation,
    conditions:
      state === 'Rejected'
        ? setCondition(reverted, rejected, generation, now)
        : removeCondition(reverted, conditions.rejected),
    ...(revertSHA !== undefined && { revertSHA }),
    ...(pullRequest !== undefined && { pullRequest }),
    state,
    inForce,
    checks: since(lines, before?.checks, now),
  };
}

/** @returns the status that says once and for all what is taken back, and to what; from then on the environment is held. */
export function subjectStatus(revertCommit: RevertCommit, subject: Subject, now: number): RevertCommitStatus {
  const { metadata, status: before } = revertCommit;
  const beginning = { reason: 'Committing', message: 'the target is known' };
  return {
    ...before,
    ...subject,
    observedGeneration: metadata.generation ?? 0,
    conditions: markReconciling(before?.conditions, beginning, metadata.generation, now),
    state: 'Pending',
    inForce: true,
  };
}

/** @returns the status when something outside of the spec is in the way. What was known stays. */
export function notReadyStatus(
  { status: before, metadata }: RevertCommit,
  problem: ConditionReason,
  now: number,
): RevertCommitStatus {
  return {
    ...before,
    observedGeneration: metadata.generation ?? 0,
    conditions: markReconciling(before?.conditions, problem, metadata.generation, now),
    state: before?.state ?? 'Pending',
  };
}

/** @returns the status of a RevertCommit for which there is no target. What it takes back stays the same. */
export function stalledStatus(
  { status: before, metadata }: RevertCommit,
  problem: ConditionReason,
  rejected: Rejected | undefined,
  now: number,
): RevertCommitStatus {
  return {
    ...before,
    ...rejected,
    observedGeneration: metadata.generation ?? 0,
    conditions: markStalled(before?.conditions, problem, metadata.generation, now),
    state: 'Pending',
  };
}
