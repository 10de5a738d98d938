import type { ObjectKey } from '@interlock/api';
import type { Blocked } from './blocked.js';
import type { Deployment } from './deployments.js';
import type { FailureTransition } from './failures.js';
import type { WaitClass } from './waits.js';

/** The transitions of an environment between two statuses of its strategy. */
export interface EnvironmentTransitions extends Omit<FailureTransition, 'lastFailure'> {
  branch: string;
  deployments: readonly Deployment[];
  blocked: readonly Blocked[];
}

/**
 * Counts the transitions of the environments of strategies: the transitions between the previous status and the status that was
 * written, so that neither a restart nor a new leader counts a transition twice or misses one.
 */
export interface PromotionMetrics {
  /**
   * Creates the series of the namespace of a strategy, and counts the transitions of its environments.
   * @param checks for each environment branch, the names of all checks that can block
   */
  keep(strategy: ObjectKey, checks: ReadonlyMap<string, readonly string[]>): void;
  /** Stops counting for a strategy; the series of a namespace are removed with its last strategy. */
  forget(strategy: ObjectKey): void;
  /** Sets the function that returns the current longest wait of each class, in seconds. */
  observeWaits(oldest: () => ReadonlyMap<WaitClass, number>): void;
  /**
   * Counts the transitions of an environment. Environments and checks that the strategy does not have are not counted.
   */
  record(strategy: ObjectKey, transitions: EnvironmentTransitions): void;
}
