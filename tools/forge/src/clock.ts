import type { Clock } from '@interlock/base';

/** The method of a clock that the forge uses: the current time. */
export type WallClock = Pick<Clock, 'now'>;

/** Returns a time in the format of GitHub: RFC 3339 in UTC, in seconds. */
export function timestamp(clock: WallClock): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}
