import type { WallClock } from '../clock.js';

export interface Budget {
  limit: number;
  remaining: number;
  used: number;
  /** Seconds since the epoch. */
  reset: number;
}

const windowMs = 3_600_000;

/**
 * The primary rate limit: a number of requests per hour for each user, installation and App, and for all anonymous
 * requests together.
 */
export class RateLimits {
  readonly #windows = new Map<string, { used: number; resetAt: number }>();

  constructor(
    readonly clock: WallClock,
    readonly limit: number,
  ) {}

  budget(key: string): Budget {
    const { used, resetAt } = this.#window(key);
    const { limit } = this;
    return { limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil(resetAt / 1000) };
  }

  /** Counts one request. */
  spend(key: string): void {
    this.#window(key).used++;
  }

  /** Exhausts the limit until the window ends. @param seconds until the end; default: the end of the current window */
  exhaust(key: string, seconds?: number): void {
    const window = this.#window(key);
    window.used = this.limit;
    if (seconds !== undefined) window.resetAt = this.clock.now() + seconds * 1000;
  }

  /** Returns the number of seconds until the window ends. */
  secondsLeft(key: string): number {
    return Math.ceil((this.#window(key).resetAt - this.clock.now()) / 1000);
  }

  #window(key: string): { used: number; resetAt: number } {
    const now = this.clock.now();
    const known = this.#windows.get(key);
    if (known !== undefined && known.resetAt > now) return known;
    const fresh = { used: 0, resetAt: now + windowMs };
    this.#windows.set(key, fresh);
    return fresh;
  }
}
