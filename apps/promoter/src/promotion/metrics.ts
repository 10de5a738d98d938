import type { ObjectKey } from '@interlock/api';
import type { Blocked } from './blocked.js';
import type { Deployment } from './deployments.js';
import type { FailureTransition } from './failures.js';

/** What happened in an environment between two statuses of its strategy. */
export interface EnvironmentTransitions extends Omit<FailureTransition, 'lastFailure'> {
  branch: string;
  deployments: readonly Deployment[];
  blocked: readonly Blocked[];
}

/**
 * Counts what happens in the environments of strategies. Transitions are those between the status before and one that
 * was written, so that neither a restart nor another leader counts one again, or misses one.
 */
export interface PromotionMetrics {
  /**
   * Makes the series of a strategy exist, and those of what it has no more go.
   * @param checks for each environment branch, the names of all checks that can be in the way
   */
  keep(strategy: ObjectKey, checks: ReadonlyMap<string, readonly string[]>): void;
  /** Takes all series of a strategy away. */
  forget(strategy: ObjectKey): void;
  /** Nothing is counted of environments and checks that the strategy does not have. */
  record(strategy: ObjectKey, transitions: EnvironmentTransitions): void;
}
