import { TypedError, type ErrorType, type TypedErrorOptions } from '@interlock/api';
import { truncate } from '@interlock/base';
import type { RateLimit } from '../governor/budget.js';

/** The headers of a response, with names in lower case. */
export type Headers = Readonly<Record<string, string | number | undefined>>;

/** An unsuccessful response of an API. */
export interface Refusal {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A typed refusal with the details that recovery needs. */
export class RefusalError extends TypedError {
  readonly status: number;
  /** Milliseconds since the epoch by the server's clock. */
  readonly serverTime: number;
  /** The text of the server alone; the message also contains names that users choose. */
  readonly text: string;

  constructor(
    type: ErrorType,
    message: string,
    options: TypedErrorOptions & { status: number; serverTime: number; text: string },
  ) {
    super(type, message, options);
    this.status = options.status;
    this.serverTime = options.serverTime;
    this.text = options.text;
  }
}

/** The SCM-specific content of a refusal. */
interface RefusalReading {
  /** The text of the body, of any length. */
  text: string;
  /** Whether the call was refused because of the rate limit, and has had no effect. */
  rateLimited: boolean;
  /** Milliseconds to wait; absent if the response does not state it. */
  retryAfterMs: number | undefined;
  /** Reason of an `Invalid` error, if the text states it. */
  invalidReason?: string | undefined;
  /** What to correct when the repository has moved. */
  movedHint: string;
}

const maxMessageLength = 500;

/**
 * Returns the typed error for a refusal, by the meaning of its status in RFC 9110, which the SCMs follow.
 *
 * @param what the operation and the repository, such as `merge pull request 7 of acme/web`.
 * @param now milliseconds since the epoch.
 */
export function typedRefusal(
  what: string,
  { status, headers }: Refusal,
  now: number,
  reading: RefusalReading,
): RefusalError {
  const text = oneLine(reading.text);
  const fail = (type: ErrorType, hint: string, options?: TypedErrorOptions): RefusalError =>
    new RefusalError(type, `${what}: HTTP ${status}${hint === '' ? '' : `, ${hint}`}: ${text}`, {
      ...options,
      status,
      serverTime: serverTime(headers, now),
      text,
    });

  if (reading.rateLimited) {
    const { retryAfterMs } = reading;
    return fail('RateLimited', 'rate limit', retryAfterMs === undefined ? {} : { retryAfterMs });
  }
  if (status === 401) return fail('Unauthorized', 'the credential is refused', { reason: 'BadCredentials' });
  if (status === 403) {
    return fail('Unauthorized', 'the credential lacks a permission', { reason: 'Forbidden' });
  }
  if (status === 404 || status === 410) {
    return fail('NotFound', 'it does not exist, or the credential may not see it');
  }
  if (status === 405 || status === 409) return fail('Conflict', '');
  if (status === 400 || status === 422) {
    return fail('Invalid', '', reading.invalidReason === undefined ? {} : { reason: reading.invalidReason });
  }
  if (status === 408 || status >= 500) {
    /* The remaining rate does not indicate when the server works again. */
    const asked = headers['retry-after'] === undefined ? undefined : reading.retryAfterMs;
    return fail('Transient', '', asked === undefined ? {} : { retryAfterMs: asked });
  }
  if (status >= 300 && status < 400) {
    return fail('Permanent', `it has moved; ${reading.movedHint}`, { reason: 'Moved' });
  }
  return fail('Permanent', '');
}

/**
 * Returns the limit in a response, with its end by the local clock; undefined if there is none.
 * @param prefix the prefix of the headers, such as `x-ratelimit` for `x-ratelimit-remaining`.
 */
export function statedLimit(headers: Headers, prefix: string, now: number): RateLimit | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`${prefix}-${name}`] ?? NaN),
  );
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  if (![limit, remaining, reset].every(Number.isFinite)) return undefined;
  return { limit, remaining, resetAt: reset * 1000 - serverTime(headers, now) + now };
}

/**
 * Returns the wait that a refusal because of the rate limit requests: `retry-after`, or the end of a window of which
 * nothing remains.
 *
 * @param prefix as in {@link statedLimit}.
 * @returns milliseconds, or undefined if the response does not state it.
 */
export function askedPause(headers: Headers, prefix: string, now: number): number | undefined {
  const after = headers['retry-after'];
  if (after !== undefined) {
    const seconds = Number(after);
    const ms = Number.isFinite(seconds)
      ? seconds * 1000
      : Date.parse(String(after)) - serverTime(headers, now);
    return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
  }
  if (String(headers[`${prefix}-remaining`]) !== '0') return undefined;
  const reset = Number(headers[`${prefix}-reset`]) * 1000;
  return Number.isFinite(reset) ? Math.max(0, reset - serverTime(headers, now)) : undefined;
}

/** Returns the time by the server's clock, in milliseconds, so that a wrong clock here does not matter. */
export function serverTime(headers: Headers, now: number): number {
  const date = Date.parse(String(headers['date']));
  return Number.isFinite(date) ? date : now;
}

function oneLine(text: string): string {
  return truncate(text.replace(/\s+/g, ' '), maxMessageLength);
}
