import { backoffMs, type Clock } from '@interlock/base';

const backoff = { baseMs: 800, maxMs: 30_000 };
const healthyMs = 60_000;

/**
 * Computes the delay of a reflector after a failure: exponential with full jitter, and reset after a healthy minute.
 */
export class ReconnectBackoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #attempt = 0;
  #resumedAt = -Infinity;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Starts over, because the server has worked until now. */
  reset(): void {
    this.#attempt = 0;
  }

  /** Returns the milliseconds until the next attempt, after a failure that occurs now. */
  next(): number {
    const now = this.#clock.monotonic();
    if (now - this.#resumedAt >= healthyMs) this.#attempt = 0;
    this.#attempt++;
    const ms = backoffMs(this.#attempt, backoff, this.#random);
    this.#resumedAt = now + ms;
    return ms;
  }
}
