import type { HttpAnswer } from '../http/exchange.js';
import { Fields } from '../wire/fields.js';
import { serverTimeOf } from '../wire/headers.js';
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
  const text = isSilent(body) ? undefined : new Fields(parseJson(body)).text('lockedUntil');
  const stated = Date.parse(text ?? '');
  if (Number.isNaN(stated)) return now + lockMs;
  return now + stated - (serverTimeOf(headers) ?? now);
}

/**
 * Returns whether the answer states nothing, because it is empty or a word: by its status, the lock is renewed. A page is from a proxy,
 * so that the lock may not be renewed.
 */
function isSilent(body: Buffer): boolean {
  return !/^\s*[{<]/.test(body.toString('utf8', 0, 256));
}
