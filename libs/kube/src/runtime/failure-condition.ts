import { isTyped, messageOf, type Condition } from '@interlock/api';
import { markReconciling, markStalled } from './conditions.js';
import { retryPolicy } from './retry-policy.js';

/**
 * The conditions of an object whose reconcile failed: Stalled when only a change helps, Reconciling when it is going
 * to be repeated, as `retryPolicy` says. Errors of no known type keep their text to the log.
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
        message: 'The controller met an unexpected error; its log has the details.',
      };
  const mark = policy.condition === 'Stalled' ? markStalled : markReconciling;
  return mark(conditions, because, generation, now);
}
