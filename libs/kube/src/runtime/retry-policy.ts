import { isTyped, type ErrorType } from '@interlock/api';
import { ApiError } from '../client/api-error.js';

/** The consequences of a failed reconcile: when it is repeated and how it is reported. */
export interface RetryPolicy {
  /**
   * When the reconcile is repeated.
   *
   * - `backoff`: with the exponential backoff of the key.
   * - `after`: in `delayMs`, whatever happened before.
   * - `wait`: only a change can resolve the failure, but the reconcile is still repeated in `delayMs`.
   */
  action: 'backoff' | 'after' | 'wait';
  /** Milliseconds; 0 for `backoff`. */
  delayMs: number;
  /** Maximum number of milliseconds that are added at random. */
  jitterMs: number;
  /** Milliseconds during which events of the key cause no reconcile. */
  holdOffMs: number;
  level: 'debug' | 'info' | 'warn' | 'error';
  /** Whether the failure counts as an attempt of the key and in `controller_runtime_reconcile_errors_total`. */
  failure: boolean;
  /** Whether the error is a defect, which no adapter has classified. It is logged with its stack. */
  panic: boolean;
  /** The kstatus condition that reports the failure; absent if the state of the object is not in question. */
  condition?: 'Reconciling' | 'Stalled';
  /** The type of the event that reports the failure; absent if there is none. */
  eventType?: 'Normal' | 'Warning';
}

const minute = 60_000;
/**
 * Consecutive conflicts after which several writers compete for the object, so that faster repeats would cause more
 * conflicts.
 */
const immediateConflicts = 5;
/** The first delay after a refusal that may pass. */
const firstDelayMs = 1_000;
/** Consecutive failures after which a transient error is reported as an error. */
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

/** An object that is deleted while it is reconciled appears to be missing until the cache has caught up. */
const recheckSoon = {
  ...soon,
  action: 'after',
  delayMs: 1_000,
  level: 'debug',
  condition: 'Stalled',
} as const;

/**
 * Returns the retry policy, condition, event type and log level for an error of a reconcile: the only place that
 * interprets error types.
 *
 * @param error the thrown value; anything but a `TypedError` is a panic
 * @param attempt number of consecutive failures of this key, or of consecutive `Unauthorized` ones; starting at 1
 */
export function retryPolicy(error: unknown, attempt: number): RetryPolicy {
  if (!isTyped(error)) {
    return { ...soon, level: 'error', panic: true, condition: 'Reconciling', eventType: 'Warning' };
  }
  const policy = byType[error.type](attempt, error.retryAfterMs);
  const isRefused = isRefusedByApiServer(error) || isRefusedByApiServer(error.cause);
  return policy.action === 'wait' && isRefused ? soonAtFirst(policy, attempt) : policy;
}

/**
 * Returns whether the API server refuses this process, which may pass within seconds: an API server that has just started
 * does not know all roles yet.
 */
function isRefusedByApiServer(error: unknown): boolean {
  return error instanceof ApiError && error.type === 'Unauthorized';
}

/** Returns a policy that repeats the first attempts soon, and each further one after twice the time. */
function soonAtFirst(policy: RetryPolicy, attempt: number): RetryPolicy {
  const delayMs = Math.min(policy.delayMs, firstDelayMs * 2 ** Math.min(attempt - 1, 10));
  return { ...policy, delayMs, jitterMs: Math.min(policy.jitterMs, delayMs / 10) };
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
