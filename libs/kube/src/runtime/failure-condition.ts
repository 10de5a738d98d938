import { isTyped, messageOf, type Condition } from '@interlock/api';
import { markReconciling, markStalled } from './conditions.js';
import { retryPolicy } from './retry-policy.js';

/**
 * Returns the conditions of an object whose reconcile failed: Stalled if only a change can resolve the failure,
 * Reconciling if it will be repeated, according to `retryPolicy`. The text of untyped errors appears in the log only.
 *
 * @param now milliseconds since the epoch
 */
export function markFailed(
  conditions: readonly Condition[] | undefined,
  error: unknown,
  generation: number | undefined,
  now: number,
): Condition[] {
  const policy = retryPolicy(error, 1);
  if (policy.condition === undefined) return [...(conditions ?? [])];
  const because = isTyped(error)
    ? { reason: error.reason, message: messageOf(error) }
    : {
        reason: 'InternalError',
        message: 'The controller encountered an unexpected error; see its log for details.',
      };
  const mark = policy.condition === 'Stalled' ? markStalled : markReconciling;
  return mark(conditions, because, generation, now);
}
