import { timestampOf, type Check } from '@interlock/api';

/** A period during which a check blocked a promotion. */
export interface Blocked {
  check: string;
  seconds: number;
}

/**
 * Returns the periods that ended: a check blocked the promotion, and now allows it, blocks it for another reason, or is no
 * longer required. They add up to the whole time, because each begins where the previous one ended.
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
