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
  markWhile,
  setCondition,
  type ConditionReason,
  type Mark,
} from '@interlock/kube';
import { since } from '../promotion/checks.js';
import type { CheckLine } from '../promotion/model.js';
import type { Rejected, Subject } from './observed.js';

/** The progress of a revert. */
export interface Progress {
  state: RevertCommitState;
  inForce: boolean;
  /** The reason and message: what it waits for, or how it ended. */
  because: ConditionReason;
  lines: readonly CheckLine[];
  revertSHA?: string | undefined;
}

/** Returns the status of a RevertCommit whose target is known. */
export function progressStatus(
  { status: before, metadata }: RevertCommit,
  { state, inForce, because, lines, revertSHA }: Progress,
  pullRequest: string | undefined,
  now: number,
): RevertCommitStatus {
  const generation = metadata.generation ?? 0;
  const ready = markReady(
    before?.conditions,
    { reason: 'Reconciled', message: 'the target, the branch and the checks are known' },
    generation,
    now,
  );
  const type = conditions.reverted;
  const status = state === 'Merged' ? 'True' : 'False';
  const reverted = setCondition(ready, { type, status, ...because }, generation, now);
  const rejected = { type: conditions.rejected, because: state === 'Rejected' ? because : undefined };
  return {
    ...before,
    observedGeneration: generation,
    conditions: markWhile(reverted, rejected, generation, now),
    ...(revertSHA !== undefined && { revertSHA }),
    ...(pullRequest !== undefined && { pullRequest }),
    state,
    inForce,
    checks: since(lines, before?.checks, now),
  };
}

/** Returns the status that records the subject; from then on the environment is held. */
export function subjectStatus(revertCommit: RevertCommit, subject: Subject, now: number): RevertCommitStatus {
  const beginning = { reason: 'Committing', message: 'the target is known' };
  return { ...pending(revertCommit, markReconciling, beginning, now), ...subject, inForce: true };
}

/** Returns the status when a problem outside the spec blocks the revert. Known fields are kept. */
export function notReadyStatus(
  revertCommit: RevertCommit,
  problem: ConditionReason,
  now: number,
): RevertCommitStatus {
  const state = revertCommit.status?.state ?? 'Pending';
  return { ...pending(revertCommit, markReconciling, problem, now), state };
}

/** Returns the status of a RevertCommit without a target. The rejected commit stays the same. */
export function stalledStatus(
  revertCommit: RevertCommit,
  problem: ConditionReason,
  rejected: Rejected | undefined,
  now: number,
): RevertCommitStatus {
  return { ...pending(revertCommit, markStalled, problem, now), ...rejected };
}

function pending(
  { status: before, metadata }: RevertCommit,
  mark: Mark,
  because: ConditionReason,
  now: number,
): RevertCommitStatus {
  return {
    ...before,
    observedGeneration: metadata.generation ?? 0,
    conditions: mark(before?.conditions, because, metadata.generation, now),
    state: 'Pending',
  };
}
