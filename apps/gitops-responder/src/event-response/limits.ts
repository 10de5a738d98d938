import type { ResponseRoute } from '@interlock/api';
import { parseDuration } from '@interlock/service';

const defaultCoolDownMs = 24 * 60 * 60_000;

/** The limits keep a faulty detector from flooding a repository. */
const defaultMaxOpen = 20;

/** Returns how many pull requests of a route may be open at a time. */
export function maxOpenOf({ limits }: ResponseRoute): number {
  return limits?.maxOpenPRs ?? defaultMaxOpen;
}

/** Returns how long a change of a route is not proposed again after a user rejected it, in milliseconds. */
export function coolDownOf({ limits }: ResponseRoute): number {
  return limits?.coolDown === undefined ? defaultCoolDownMs : parseDuration(limits.coolDown);
}
