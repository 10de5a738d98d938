/** The state of a lock in the process that renews it; times in milliseconds of the monotonic clock. */
export interface LockState {
  /** When the last renewal that succeeded was sent; undefined before the first. */
  renewedAt: number | undefined;
  /** When it expires, as far as is known. */
  expiresAt: number;
  /** The number of renewals that have failed since then. */
  failures: number;
}

const healthyIntervalMs = 60_000;
/** How long after the expiry of a lock GitHub may still accept its renewal. */
const lateMs = 5 * 60_000;
const longestLockMs = 10 * 60_000;
const shortestLockMs = 1_000;

/** Returns the remaining duration of a lock in milliseconds. An implausible end is replaced by the documented duration of 10 minutes. */
export function lockDuration(lockedUntil: number, now: number): number {
  const stated = lockedUntil - now;
  return stated >= shortestLockMs && stated <= longestLockMs ? stated : longestLockMs;
}

/**
 * Returns the milliseconds until the next renewal: a minute or a third of the time left, whichever is less, and some seconds
 * after a failure; with jitter, so that many locks are not renewed at the same time.
 *
 * @param random in [0, 1)
 */
export function renewalDelay(
  { renewedAt, expiresAt, failures }: LockState,
  now: number,
  random: number,
): number {
  const left = Math.max(0, expiresAt - now);
  if (failures > 0) {
    const [from, to] = failures <= 5 ? [1_000, 5_000] : [5_000, 15_000];
    return from + random * (to - from);
  }
  if (renewedAt === undefined) return 0;
  return Math.min(healthyIntervalMs, left / 3) * (0.9 + 0.1 * random);
}

/** Returns whether a lock that could not be renewed is given up: it has expired, and the service no longer accepts a late renewal. */
export function isExpired({ expiresAt }: LockState, now: number): boolean {
  return now > expiresAt + lateMs;
}
