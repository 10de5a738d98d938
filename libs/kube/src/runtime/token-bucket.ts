import type { Clock } from '@interlock/base';

/** A token bucket that returns delays instead of refusing (golang.org/x/time/rate: Reserve). */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, options: { perSecond: number; burst: number }) {
    this.#clock = clock;
    this.#perMs = options.perSecond / 1000;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#at = clock.monotonic();
  }

  /**
   * Takes one token, on credit if there is none. Returns the milliseconds until the token is available.
   *
   * @param maxDebtMs the longest delay; beyond it tokens are no longer counted
   */
  reserve(maxDebtMs: number): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#at) * this.#perMs);
    this.#at = now;
    this.#tokens = Math.max(this.#tokens - 1, -maxDebtMs * this.#perMs);
    return this.#tokens >= 0 ? 0 : Math.ceil(-this.#tokens / this.#perMs);
  }
}
