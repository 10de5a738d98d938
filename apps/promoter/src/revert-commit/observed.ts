import type { PromotionStrategy, PullRequest, RevertCommit, RevertCommitStatus } from '@interlock/api';
import type { OrProblem, Problem } from '@interlock/base';
import type { ConditionReason } from '@interlock/kube';
import type { DriftCommit, HydratedCommit, StatusFinding } from '../promotion/model.js';

export type RevertTarget = NonNullable<RevertCommitStatus['target']>;

/** The rejected commit, which does not change. */
export interface Rejected {
  /** The commit of the environment branch to revert. */
  revertOf: string;
  /** Absent when that commit does not name a dry commit. */
  rejectedDrySHA?: string | undefined;
}

/** The subject of a RevertCommit, which does not change. */
export interface Subject extends Rejected {
  target: RevertTarget;
  /** The branch to which the revert is pushed. */
  branch: string;
}

/** The state of a revert in git. */
export interface RevertFacts {
  /** Absent if there is no such branch. */
  active?: HydratedCommit;
  /** The commit at the tip of the environment branch. */
  tipSHA?: string | undefined;
  /**
   * The dry commit that the environment runs: the rejected commit (with or without a change on top), a commit that comes after
   * it, or another commit.
   */
  activeIs: 'rejected' | 'newer' | 'other';
  /** Commits on top of the rejected one that were not made by a promotion. */
  drift: readonly DriftCommit[];
  /** The tip of the revert's branch, if it has the content of the target and is on top of the active commit. */
  revertSHA?: string | undefined;
  /** Whether the environment branch contains the revert. */
  contained: boolean;
  /** Absent when the status names the target, or when the rejected commit is unknown. */
  rejected?: Rejected;
  /** The part of the subject that the status does not record yet. */
  subject?: OrProblem<Subject>;
}

/** The requirements of the strategy for a revert. */
export interface RevertGates {
  /** Proposed CommitStatuses, for the revert. */
  findings: readonly StatusFinding[];
  /** Why the strategy holds the environment. */
  held?: ConditionReason | undefined;
  skippableChecks: readonly string[];
  /** The name under which the SCM shows the rules of the environment; absent if it is their key. */
  statusName?: string | undefined;
  /** The settings of which a revert uses the labels and the merge method; the templates are for promotions. */
  pullRequest?: PromotionStrategy['spec']['pullRequest'];
}

/** What a decision about a RevertCommit depends on. */
export interface ObservedRevert {
  revertCommit: RevertCommit;
  facts: OrProblem<RevertFacts>;
  gates: RevertGates;
  /** The child, if there is one. */
  pullRequest?: PullRequest | undefined;
  /** Why nothing can be proposed: another object owns a child with the name of one of this RevertCommit. */
  taken?: Problem | undefined;
}
