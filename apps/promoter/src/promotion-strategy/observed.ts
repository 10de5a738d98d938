import type { HistoryEntry, PromotionStrategy, ProposedCommit, RevertCommit } from '@interlock/api';
import type { OrProblem } from '@interlock/base';
import type { Deployment } from '../promotion/deployments.js';
import type { DryBranch, ObservedEnvironment, StatusFinding } from '../promotion/model.js';

export interface StrategyEnvironment extends ObservedEnvironment {
  /** Proposed CommitStatuses that the strategy requires for the proposed hydrated commit. */
  proposedStatuses: readonly StatusFinding[];
  /** The commit of the proposed branch that is proposed from its own branch. */
  pinned?: string | undefined;
  history: readonly HistoryEntry[];
  /** Deployments since its status was written, oldest first. */
  deployments: readonly Deployment[];
}

/** What a decision about a strategy depends on. */
export interface ObservedStrategy {
  strategy: PromotionStrategy;
  /**
   * Its environments in the order of the spec, with the tips of their proposed branches as the proposals, or why they are not
   * known.
   */
  environments: OrProblem<readonly StrategyEnvironment[]>;
  /**
   * Under FinishInFlight, the environments that do not run the newest active dry commit, with that commit as the proposal.
   * Environments for which it was not hydrated are omitted. Absent if there is no such commit.
   */
  withLatest?: readonly StrategyEnvironment[] | undefined;
  /** The dry branch, with the dry commits of all these environments. */
  dryBranch: DryBranch;
  /** The strategies of its remote, in its namespace: at least those that may promote the same. */
  siblings: readonly PromotionStrategy[];
  /** ProposedCommits that the strategy controls. */
  children: readonly ProposedCommit[];
  /** ProposedCommits that it needs and that belong to other strategies. */
  others: readonly ProposedCommit[];
  /** RevertCommits of its repository. */
  reverts: readonly RevertCommit[];
}
