import { isTyped } from '@interlock/api';
import { backoffMs } from '@interlock/base';
import { networkReason, type ApiError } from './api-error.js';

const maxAttempts = 4;
/** The caller schedules a longer wait. */
const longestRetryAfterMs = 10_000;
const backoff = { baseMs: 200, maxMs: 5000 };

/**
 * Returns the delay after which a failed request is sent again; undefined if the failure is final. Only idempotent
 * requests are repeated, on 429, 5xx and lost connections. A request that never left this machine, or that the server
 * sheds (429 with a delay, Kubernetes "API Priority and Fairness"), was not carried out, and is repeated in any case. A
 * request whose credentials were refused (401) is repeated once, with the current credentials.
 *
 * @param attempt number of the attempt, starting at 1
 */
export function retryDelayMs(
  error: ApiError,
  attempt: number,
  idempotent: boolean,
  random: () => number,
): number | undefined {
  if (attempt >= maxAttempts) return undefined;
  const unsent = error.reason === networkReason.unreachable;
  const shed = error.code === 429 && error.retryAfterMs !== undefined;
  const refused = error.code === 401 && attempt === 1;
  const isUndone = unsent || shed || refused;
  if (!isUndone && !(idempotent && isTyped(error, 'Transient', 'RateLimited') && mayPass(error)))
    return undefined;
  const jittered = backoffMs(attempt, backoff, random);
  if (error.retryAfterMs === undefined) return jittered;
  return error.retryAfterMs <= longestRetryAfterMs ? error.retryAfterMs + jittered : undefined;
}

/** Failures that do not pass within the time of one call. */
const lasting: readonly string[] = [networkReason.malformed, networkReason.untrusted, networkReason.tooLarge];

/**
 * Returns whether a repeat may succeed. Some refusals of admission (403) are `Transient`, but do not pass within the time
 * of one call.
 */
function mayPass(error: ApiError): boolean {
  return error.code !== 403 && !lasting.includes(error.reason);
}
