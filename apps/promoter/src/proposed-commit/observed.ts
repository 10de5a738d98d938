import type { HistoryEntry, ProposedCommit, PullRequest } from '@interlock/api';
import type { EnvironmentFacts, RevertInForce, StatusFinding } from '../promotion/model.js';

/** What git says of a proposed commit's branches. */
export interface ProposedCommitFacts extends EnvironmentFacts {
  /** Tree of merging the proposed commit into the active one; absent when nothing is proposed, or it cannot be merged: it conflicts, or has another history. */
  mergedTreeSHA?: string;
  /** Tree that the environment branch is to have; absent when nothing is proposed. */
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
  /** For the proposed hydrated commit. */
  proposedStatuses: readonly StatusFinding[];
  /** For the active hydrated commit. */
  activeStatuses: readonly StatusFinding[];
  /** Since when the rules for what is proposed are awaited, in milliseconds since the epoch. Absent: not known to be. */
  awaitedSince?: number | undefined;
  /** The child, when there is one. */
  pullRequest?: PullRequest | undefined;
  /** The commit of the hydrator whose pull request a person closed; alignments of it are rejected with it. */
  rejectedSHA?: string | undefined;
  /** The merge of what is proposed, which the environment branch had and has no more: it was set back by force. */
  lostSHA?: string | undefined;
}
