import { parseTimestamp } from '@interlock/api';
import type { AnswerHeaders } from '../http/exchange.js';

/** The longest pause that `Retry-After` may impose, in milliseconds. */
const longestRetryAfterMs = 5 * 60_000;
/** A window of the rate limit of the REST API lasts an hour. */
const longestWindowMs = 3_600_000;

/** Returns the first value of a header. @param name in lower case */
export function firstValueOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns the header `Date`, in milliseconds since the epoch by the clock of the server; undefined if it is absent or unreadable. */
export function serverTimeOf(headers: AnswerHeaders): number | undefined {
  return parseTimestamp(firstValueOf(headers, 'date'));
}

/**
 * Returns the milliseconds that the header `Retry-After` requests, as seconds or as a date (RFC 9110, 10.2.3), within [0, 5 min];
 * undefined if it is absent, negative or unreadable.
 *
 * @param now milliseconds since the epoch, if the answer has no date: with the date, a wrong local clock does not matter
 */
export function retryAfterMs(headers: AnswerHeaders, now: number): number | undefined {
  const text = firstValueOf(headers, 'retry-after')?.trim() ?? '';
  if (text === '' || text.length > 64) return undefined;
  const seconds = Number(text);
  const ms = Number.isNaN(seconds) ? Date.parse(text) - (serverTimeOf(headers) ?? now) : seconds * 1000;
  if (Number.isNaN(ms) || ms < 0) return undefined;
  return Math.min(ms, longestRetryAfterMs);
}

/**
 * Returns the milliseconds until the window of the rate limit ends in which no call is left, within [0, 1 h]; undefined if the answer
 * does not state that none is left.
 *
 * @param now milliseconds since the epoch, if the answer has no date
 */
export function rateLimitResetMs(headers: AnswerHeaders, now: number): number | undefined {
  if (headers['x-ratelimit-remaining'] !== '0') return undefined;
  const resetAt = Number(firstValueOf(headers, 'x-ratelimit-reset')) * 1000;
  const ms = resetAt - (serverTimeOf(headers) ?? now);
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), longestWindowMs) : undefined;
}
