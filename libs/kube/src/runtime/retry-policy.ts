import { isTyped, type ErrorType } from '@interlock/api';

/** What follows from a failed reconcile: when to repeat it and how to speak of it. */
export interface RetryPolicy {
  /**
   * - `backoff`: with the key's exponential backoff.
   * - `after`: in `delayMs`, whatever happened before.
   * - `wait`: only a change helps; look again in `delayMs` all the same.
   */
  action: 'backoff' | 'after' | 'wait';
  /** Milliseconds; 0 for `backoff`. */
  delayMs: number;
  /** Up to so many milliseconds are added at random. */
  jitterMs: number;
  /** Milliseconds during which events of the key do not lead to a reconcile. */
  holdOffMs: number;
  level: 'debug' | 'info' | 'warn' | 'error';
  /** Counts as an attempt of the key and in `controller_runtime_reconcile_errors_total`. */
  failure: boolean;
  /** Not an error that an adapter knew: a defect. Logged with its stack. */
  panic: boolean;
  /** Which of kstatus' conditions tells of it; absent where the state of the object is not in question. */
  condition?: 'Reconciling' | 'Stalled';
  /** The type of the event that tells of it; absent where none is due. */
  eventType?: 'Normal' | 'Warning';
}

const minute = 60_000;
/** Consecutive conflicts after which somebody is fighting over the object and speed makes it worse. */
const immediateConflicts = 5;
/** Consecutive failures after which a transient error is no longer a hiccup. */
const hiccups = 5;

const soon = {
  action: 'backoff',
  delayMs: 0,
  jitterMs: 0,
  holdOffMs: 0,
  failure: true,
  panic: false,
} as const;
const untilChange = {
  action: 'wait',
  delayMs: 5 * minute,
  jitterMs: 30_000,
  holdOffMs: 0,
  level: 'error',
  failure: true,
  panic: false,
  condition: 'Stalled',
  eventType: 'Warning',
} as const;

/** An object that is deleted while it is reconciled looks like a missing thing until the cache has caught up. */
const recheckSoon = {
  ...soon,
  action: 'after',
  delayMs: 1_000,
  level: 'debug',
  condition: 'Stalled',
} as const;

/**
 * The retry policy, condition, event type and log level for an error thrown by a reconcile: the one place where
 * error types get their meaning.
 *
 * @param error what was thrown; anything but a `TypedError` is a panic
 * @param attempt which failure in a row of this key it is, from 1
 */
export function retryPolicy(error: unknown, attempt: number): RetryPolicy {
  if (!isTyped(error)) {
    return { ...soon, level: 'error', panic: true, condition: 'Reconciling', eventType: 'Warning' };
  }
  return byType[error.type](attempt, error.retryAfterMs);
}

const byType: Record<ErrorType, (attempt: number, retryAfterMs: number | undefined) => RetryPolicy> = {
  Transient: (attempt, retryAfterMs) => ({
    ...soon,
    ...(retryAfterMs === undefined
      ? {}
      : { action: 'after', delayMs: retryAfterMs, jitterMs: retryAfterMs / 10 }),
    level: attempt > hiccups ? 'error' : 'warn',
    condition: 'Reconciling',
    ...(attempt > hiccups ? { eventType: 'Warning' } : {}),
  }),
  RateLimited: (_attempt, retryAfterMs = minute) => ({
    ...soon,
    action: 'after',
    delayMs: retryAfterMs,
    jitterMs: Math.min(retryAfterMs / 10, minute),
    level: 'info',
    failure: false,
    condition: 'Reconciling',
  }),
  Conflict: (attempt) =>
    attempt > immediateConflicts
      ? { ...soon, level: 'warn' }
      : { ...soon, action: 'after', jitterMs: 100, level: 'debug' },
  NotFound: (attempt) => (attempt === 1 ? recheckSoon : untilChange),
  Invalid: () => untilChange,
  Permanent: () => untilChange,
  Unauthorized: (attempt) => ({
    ...untilChange,
    holdOffMs: Math.min(1_000 * 2 ** Math.min(attempt - 1, 10), minute),
  }),
};
