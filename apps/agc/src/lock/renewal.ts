/** The lock of a job, as the process that renews it knows; times in milliseconds of the monotonic clock. */
export interface LockState {
  /** When the last renewal that succeeded was sent; undefined before the first. */
  renewedAt: number | undefined;
  /** When it runs out, as far as is known. */
  expiresAt: number;
  /** Renewals that have failed since. */
  failures: number;
}

const healthyIntervalMs = 60_000;
/** A service that is behind by so much may still take a renewal (research broker §3.2). */
const lateMs = 5 * 60_000;
const longestLockMs = 10 * 60_000;
const shortestLockMs = 30_000;

/**
 * Returns how long a lock lasts from now on, in milliseconds. The service states a time of its own clock, which may differ from
 * ours, so what cannot be is replaced by what the service documents: 10 minutes.
 */
export function lockDuration(lockedUntil: number, now: number): number {
  const stated = lockedUntil - now;
  return stated >= shortestLockMs && stated <= longestLockMs ? stated : longestLockMs;
}

/**
 * Returns the milliseconds until the next renewal: a minute, or a third of what is left; after failures seconds, with jitter, so
 * that many locks do not ask at once.
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

/** Returns whether a lock that could not be renewed is given up: it has run out, and the service's patience as well. */
export function isExpired({ expiresAt }: LockState, now: number): boolean {
  return now > expiresAt + lateMs;
}
