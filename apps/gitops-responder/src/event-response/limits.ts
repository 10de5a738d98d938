import type { ResponseRoute } from '@interlock/api';
import { parseDuration } from '@interlock/service';

const defaultCoolDownMs = 24 * 60 * 60_000;

/** Returns how long a change of a route is not proposed again after somebody has rejected it, in milliseconds. */
export function coolDownOf({ limits }: ResponseRoute): number {
  return limits?.coolDown === undefined ? defaultCoolDownMs : parseDuration(limits.coolDown);
}
