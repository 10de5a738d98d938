import type { ObjectKey } from '@interlock/api';
import type { Blocked } from './blocked.js';
import type { Deployment } from './deployments.js';
import type { FailureTransition } from './failures.js';
import type { WaitClass } from './waits.js';

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
   * Makes the series of the namespace of a strategy exist, and counts what happens in its environments.
   * @param checks for each environment branch, the names of all checks that can be in the way
   */
  keep(strategy: ObjectKey, checks: ReadonlyMap<string, readonly string[]>): void;
  /** Counts nothing more of a strategy; the series of a namespace go with its last one. */
  forget(strategy: ObjectKey): void;
  /** Hands over what yields the seconds of the longest wait of each class at present. */
  observeWaits(oldest: () => ReadonlyMap<WaitClass, number>): void;
  /** Nothing is counted of environments and checks that the strategy does not have. */
  record(strategy: ObjectKey, transitions: EnvironmentTransitions): void;
}
