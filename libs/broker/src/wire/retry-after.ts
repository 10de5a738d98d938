/** The longest pause that an answer may impose, in milliseconds. */
const longestRetryAfterMs = 5 * 60_000;

/**
 * Returns the milliseconds that a `Retry-After` header requests, as seconds or as a date (RFC 9110, 10.2.3), within
 * [0, 5 min]; undefined if the header is absent, negative or unreadable.
 *
 * @param date the `Date` header of the same answer, so that a wrong local clock does not matter
 * @param now milliseconds since the epoch
 */
export function parseRetryAfter(
  value: string | undefined,
  date: string | undefined,
  now: number,
): number | undefined {
  const text = value?.trim() ?? '';
  if (text === '' || text.length > 64) return undefined;
  const seconds = Number(text);
  const stated = Date.parse(date ?? '');
  const ms = Number.isNaN(seconds)
    ? Date.parse(text) - (Number.isNaN(stated) ? now : stated)
    : seconds * 1000;
  if (Number.isNaN(ms) || ms < 0) return undefined;
  return Math.min(ms, longestRetryAfterMs);
}
