import type { PromotionStrategy, PullRequest, RevertCommit, RevertCommitStatus } from '@interlock/api';
import type { OrProblem } from '@interlock/base';
import type { ConditionReason } from '@interlock/kube';
import type { DriftCommit, HydratedCommit, StatusFinding } from '../promotion/model.js';

export type RevertTarget = NonNullable<RevertCommitStatus['target']>;

/** What is taken back, once and for all. */
export interface Rejected {
  /** The commit of the environment branch that is not wanted. */
  revertOf: string;
  /** Absent when that commit names no dry commit. */
  rejectedDrySHA?: string;
}

/** What a RevertCommit is about, once and for all. */
export interface Subject extends Rejected {
  target: RevertTarget;
  /** Where the revert is pushed to. */
  branch: string;
}

/** What git says about a revert. */
export interface RevertFacts {
  /** Absent: no such branch. */
  active?: HydratedCommit;
  /** The commit at the tip of the environment branch. */
  tipSHA?: string;
  /**
   * What the environment runs: the rejected dry commit (with or without a change on top), one that comes after it, or
   * something else.
   */
  activeIs: 'rejected' | 'newer' | 'other';
  /** Commits that no promotion made, on top of what is taken back. */
  drift: readonly DriftCommit[];
  /** The tip of the revert's branch, if it is the content of the target on top of the active commit. */
  revertSHA?: string;
  /** The revert is part of the environment branch. */
  contained: boolean;
  /** Absent when the status says what the target is, or when it is not known what is to be taken back. */
  rejected?: Rejected;
  /** What the status does not say yet. */
  subject?: OrProblem<Subject>;
}

/** What the strategy asks of a revert. */
export interface RevertGates {
  /** Proposed CommitStatuses, for the revert. */
  findings: readonly StatusFinding[];
  /** Why the strategy lets nothing come to the environment. */
  held?: ConditionReason;
  skippableChecks: readonly string[];
  /** Under which the SCM shows the rules of the environment; absent: that of their key. */
  statusName?: string | undefined;
  /** Labels and merge method; its templates are for promotions. */
  pullRequest?: PromotionStrategy['spec']['pullRequest'];
}

/** What a decision about a RevertCommit depends on. */
export interface ObservedRevert {
  revertCommit: RevertCommit;
  facts: OrProblem<RevertFacts>;
  gates: RevertGates;
  /** The child, when there is one. */
  pullRequest?: PullRequest;
}
