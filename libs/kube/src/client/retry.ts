import { isTyped } from '@interlock/api';
import { backoffMs } from '@interlock/base';
import { networkReason, type ApiError } from './api-error.js';

const maxAttempts = 4;
/** A longer wait is for the caller to schedule, not for a call to sit out. */
const longestRetryAfterMs = 10_000;
const backoff = { baseMs: 200, maxMs: 5000 };

/**
 * Whether and when a failed request is sent again. Only idempotent requests are, on 429, 5xx and lost connections;
 * one that never left this machine is, whatever it does.
 *
 * @param attempt how often it was sent, from 1
 * @returns milliseconds to wait, or `undefined` when the failure is final
 */
export function retryDelayMs(
  error: ApiError,
  attempt: number,
  idempotent: boolean,
  random: () => number,
): number | undefined {
  if (attempt >= maxAttempts) return undefined;
  const unsent = error.reason === networkReason.unreachable;
  if (!unsent && !(idempotent && isTyped(error, 'Transient', 'RateLimited') && mayPass(error)))
    return undefined;
  const jittered = backoffMs(attempt, backoff, random);
  if (error.retryAfterMs === undefined) return jittered;
  return error.retryAfterMs <= longestRetryAfterMs ? error.retryAfterMs + jittered : undefined;
}

/** A full quota (403) is `Transient`, but not within the time of one call. */
function mayPass(error: ApiError): boolean {
  return error.code !== 403 && error.reason !== networkReason.malformed;
}
