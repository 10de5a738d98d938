import type { HistoryEntry, PromotionStrategy, ProposedCommit } from '@interlock/api';
import type { Deployment } from '../promotion/deployments.js';
import type { Descends, ObservedEnvironment, Problem, StatusFinding } from '../promotion/model.js';

export interface StrategyEnvironment extends ObservedEnvironment {
  /** Proposed CommitStatuses that the strategy asks for, for its proposed hydrated commit. */
  proposedStatuses: readonly StatusFinding[];
  history: readonly HistoryEntry[];
  /** What was deployed since its status was written, oldest first. */
  deployments: readonly Deployment[];
}

/** What a decision about a strategy depends on. */
export interface ObservedStrategy {
  strategy: PromotionStrategy;
  /** Its environments in the order of the spec, or why they are not known. */
  environments: readonly StrategyEnvironment[] | Problem;
  descends: Descends;
  /** ProposedCommits that the strategy controls. */
  children: readonly ProposedCommit[];
}

export function isUnavailable(value: ObservedStrategy['environments']): value is Problem {
  return !Array.isArray(value);
}
