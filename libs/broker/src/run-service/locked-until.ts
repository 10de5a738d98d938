import type { HttpAnswer } from '../http/exchange.js';
import { Fields } from '../wire/fields.js';
import { parseJson } from '../wire/json.js';

/** How long a lock lasts after its renewal, unless the service states it. */
const lockMs = 10 * 60_000;

/**
 * Returns the end of a lock that was renewed, in milliseconds since the epoch by the local clock. The service states the
 * end by its own clock, which the `Date` header of the answer shows.
 *
 * @param now milliseconds since the epoch
 */
export function readLockedUntil(
  { body, headers }: Pick<HttpAnswer, 'body' | 'headers'>,
  now: number,
): number {
  const text = body.length === 0 ? undefined : new Fields(parseJson(body)).text('lockedUntil');
  const stated = Date.parse(text ?? '');
  if (Number.isNaN(stated)) return now + lockMs;
  const { date } = headers;
  const answeredAt = typeof date === 'string' ? Date.parse(date) : NaN;
  return Number.isNaN(answeredAt) ? stated : now + stated - answeredAt;
}
