import type { Clock } from '@interlock/base';

/** What the forge reads of a clock: the time of day. */
export type WallClock = Pick<Clock, 'now'>;

/** Returns a time as GitHub writes it: RFC 3339 in UTC, to the second. */
export function timestamp(clock: WallClock): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}
