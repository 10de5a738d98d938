import { timestampOf, type Check } from '@interlock/api';

/** A time for which a check was in the way. */
export interface Blocked {
  check: string;
  seconds: number;
}

/**
 * Returns the times that are over: a check was in the way, and now lets the promotion through, is in the way for
 * another reason, or is asked no more. They add up to the whole time, as each begins where the one before ended.
 */
export function blockedTimes(
  before: readonly Check[] | undefined,
  after: readonly Check[] | undefined,
  now: number,
): Blocked[] {
  return (before ?? []).flatMap(({ name, state, since }) => {
    const next = after?.find((check) => check.name === name);
    if (state === 'success' || (next?.state === state && next.since === since)) return [];
    const end = next?.since ?? timestampOf(now);
    return [{ check: name, seconds: Math.max(0, (Date.parse(end) - Date.parse(since)) / 1000) }];
  });
}
