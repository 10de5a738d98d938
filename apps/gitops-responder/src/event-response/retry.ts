import { isTyped, type EventResponse, type EventResponseStatus } from '@interlock/api';
import { backoffMs } from '@interlock/base';
import { parseDuration } from '@interlock/service';
import { OperatorError } from '../attempt/operator-error.js';
import { describeError } from '../text.js';

type RetryPolicy = NonNullable<EventResponse['spec']['retryPolicy']>;
export type ResponseError = NonNullable<EventResponseStatus['error']>;

const defaultAttempts = 3;
const defaultInitialMs = 10_000;
const defaultMaxMs = 5 * 60_000;
/** The upper bound of the delay that a server requests. */
const maxRetryAfterMs = 24 * 60 * 60_000;
/** Maximum length of `status.error.detail` and `status.outcome.message`. */
export const maxDetail = 2048;

/**
 * Returns the maximum number of attempts of a response.
 * @param flag the flag --max-attempts; 0 uses the policy of the response.
 */
export function maxAttemptsOf({ spec }: EventResponse, flag: number): number {
  if (flag > 0) return flag;
  return spec.retryPolicy?.maxAttempts ?? spec.maxAttempts ?? defaultAttempts;
}

/** Returns the longest delay of a policy, in milliseconds. */
export function maxDelayOf(policy: RetryPolicy | undefined): number {
  return policy?.maxDelay === undefined ? defaultMaxMs : parseDuration(policy.maxDelay);
}

/**
 * Returns the milliseconds until the next attempt.
 *
 * @param attempts the number of failed attempts, at least 1
 * @param random in [0, 1)
 * @param retryAfterMs the delay that the server requests; it is respected even if it is longer than maxDelay, up to a day
 */
export function attemptDelayMs(
  policy: RetryPolicy | undefined,
  attempts: number,
  random: number,
  retryAfterMs = 0,
): number {
  const { backoffStrategy = 'Exponential', initialDelay } = policy ?? {};
  const baseMs = initialDelay === undefined ? defaultInitialMs : parseDuration(initialDelay);
  const maxMs = maxDelayOf(policy);
  const delays = {
    None: () => 0,
    Fixed: () => Math.min(baseMs, maxMs),
    Exponential: () => backoffMs(attempts, { baseMs, maxMs }, () => random),
  };
  return Math.max(Math.ceil(delays[backoffStrategy]()), Math.min(retryAfterMs, maxRetryAfterMs));
}

/** The consequence of a failure for a response. */
interface Failure {
  error: ResponseError;
  /**
   * `soon`: after the backoff. `limited`: after the delay of the rate limit; the attempt does not count, because other
   * responses may have used up the limit. `waiting`: when the configuration, the credential or the repository is corrected,
   * which is checked at intervals; the attempt does not count. `never`: the response has failed.
   */
  retry: 'soon' | 'limited' | 'waiting' | 'never';
  retryAfterMs?: number | undefined;
}

/** Returns how a failure is reported and retried; untyped errors count as transient. */
export function failureOf(error: unknown): Failure {
  const detail = describeError(error, maxDetail);
  if (!isTyped(error)) return { error: { type: 'Transient', reason: 'Unexpected', detail }, retry: 'soon' };
  const { reason, retryAfterMs } = error;
  const described = (type: ResponseError['type'], retry: Failure['retry']): Failure => ({
    error: { type, reason, detail },
    retry,
    retryAfterMs,
  });
  if (error instanceof OperatorError) return described('Transient', 'waiting');
  switch (error.type) {
    case 'Transient':
      return described('Transient', 'soon');
    case 'RateLimited':
      return described('Transient', 'limited');
    case 'Conflict':
      return described('Conflicting', 'soon');
    /* A server reports a repository as missing to a client that may not see it. */
    case 'NotFound':
    case 'Unauthorized':
      return described('Unauthorized', 'waiting');
    case 'Invalid':
    case 'Permanent':
      return described('Permanent', 'never');
  }
}
