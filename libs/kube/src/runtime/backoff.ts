import type { Clock } from './types.js';

export interface Backoff {
  baseMs: number;
  maxMs: number;
}

/**
 * Exponential backoff with full jitter: a uniformly random delay below `base * 2^(attempt-1)`, capped.
 * Source: "Exponential Backoff And Jitter", AWS Architecture Blog.
 *
 * @param attempt counts from 1
 * @param random yields numbers in [0, 1)
 * @returns milliseconds
 */
export function backoffMs(attempt: number, backoff: Backoff, random: () => number): number {
  const ceiling = Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(attempt - 1, 52));
  return Math.floor(random() * ceiling);
}

/** A token bucket that hands out waiting times instead of refusing (golang.org/x/time/rate: Reserve). */
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
   * Takes one token, on credit when there is none.
   *
   * @param maxDebtMs the longest wait that is handed out; beyond it tokens are no longer counted
   * @returns milliseconds until the token is there
   */
  reserve(maxDebtMs: number): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#at) * this.#perMs);
    this.#at = now;
    this.#tokens = Math.max(this.#tokens - 1, -maxDebtMs * this.#perMs);
    return this.#tokens >= 0 ? 0 : Math.ceil(-this.#tokens / this.#perMs);
  }
}
