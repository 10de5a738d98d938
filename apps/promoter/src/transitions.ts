import { keyOf, type ObjectKey, type ProposedCommit, type ProposedCommitStatus } from '@interlock/api';
import { controllerOf, isControlledBy } from '@interlock/kube';
import { blockedTimes } from './promotion/blocked.js';
import type { EnvironmentTransitions } from './promotion/metrics.js';
import { checksOf } from './promotion/strategy-spec.js';
import type { PromoterContext } from './context.js';

type Counting = Pick<PromoterContext, 'caches' | 'metrics'>;

/**
 * Counts the transitions of the environments of a strategy. Call it after the status that records them was written. Nothing
 * is counted for a deleted strategy, whose series are deleted too.
 */
export function countTransitions(
  { caches, metrics }: Counting,
  key: ObjectKey,
  transitions: readonly EnvironmentTransitions[],
): void {
  const strategy = caches.strategies.get(key);
  if (strategy === undefined) return;
  metrics.keep(key, checksOf(strategy));
  for (const transition of transitions) metrics.record(key, transition);
}

/** Counts the time for which checks blocked a proposed commit of a strategy until `status` was written. */
export function countBlocked(
  counting: Counting,
  proposedCommit: ProposedCommit,
  status: ProposedCommitStatus | undefined,
  now: number,
): void {
  const owner = controllerOf(proposedCommit);
  if (owner === undefined) return;
  const strategy = counting.caches.strategies.get({ ...keyOf(proposedCommit), name: owner.name });
  if (strategy === undefined || !isControlledBy(proposedCommit, strategy)) return;
  const blocked = blockedTimes(proposedCommit.status?.checks, status?.checks, now);
  const branch = proposedCommit.spec.activeBranch;
  const nothing = { deployments: [], failed: 0, restoredAfterMs: [] };
  countTransitions(counting, keyOf(strategy), [{ branch, blocked, ...nothing }]);
}
