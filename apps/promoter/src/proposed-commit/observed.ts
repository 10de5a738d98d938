import type { HistoryEntry, ProposedCommit, PullRequest } from '@interlock/api';
import type { EnvironmentFacts, RevertInForce, StatusFinding } from '../promotion/model.js';

/** The state of a proposed commit's branches in git. */
export interface ProposedCommitFacts extends EnvironmentFacts {
  /**
   * Tree that results from merging the proposed commit into the active one; absent when nothing is proposed, or when it cannot be
   * merged because of a conflict or an unrelated history.
   */
  mergedTreeSHA?: string;
  /** Tree that the environment branch must have; absent when nothing is proposed. */
  requiredTreeSHA?: string;
  /** Whether the proposed commit contains the tip of the environment branch; absent when nothing is proposed. */
  containsTip?: boolean;
  reverts: readonly RevertInForce[];
  history: readonly HistoryEntry[];
}

/** What a decision about a proposed commit depends on. */
export interface ObservedProposedCommit {
  proposedCommit: ProposedCommit;
  facts: ProposedCommitFacts;
  /** Statuses of the proposed hydrated commit. */
  proposedStatuses: readonly StatusFinding[];
  /** Statuses of the active hydrated commit. */
  activeStatuses: readonly StatusFinding[];
  /** Since when the proposal waits for the rules, in milliseconds since the epoch. Absent if it is not known to wait. */
  awaitedSince?: number | undefined;
  /** The child, if there is one. */
  pullRequest?: PullRequest | undefined;
  /** The commit of the hydrator whose pull request a user closed; alignments of it are rejected with it. */
  rejectedSHA?: string | undefined;
  /** The merge commit of the proposal, which the environment branch no longer contains because it was reset by force. */
  lostSHA?: string | undefined;
}
