import { backoffMs } from '@interlock/base';

/**
 * Returns the milliseconds to wait after the `failures`-th consecutive failure: 15-30 s for the first five, then 30-60
 * s.
 */
export function failureBackoffMs(failures: number, random: () => number): number {
  const baseMs = failures <= 5 ? 15_000 : 30_000;
  return baseMs * (1 + random());
}

/** Returns the milliseconds until the next poll after a repeated message, which the service would immediately return again. */
export function repeatBackoffMs(random: () => number): number {
  return 5_000 * (1 + random());
}

const fastMs = 5_000;
/**
 * The longest pause after an immediate empty poll, until there are too many such polls: a service that never holds
 * polls may also have jobs.
 */
const floor = { baseMs: 200, maxMs: 5_000 };
const shortestFloorMs = 100;
const windowMs = 30 * 60_000;
const maxEmpties = 50;

/**
 * Slows down polls that immediately return without a message, by two rules: a pause that grows with each fast empty
 * poll, and 15-30 s after 50 empty polls in 30 min. A working service holds a poll for 50 s, so that neither rule
 * applies.
 */
export class EmptyGuard {
  /** The number of consecutive fast empty polls. */
  #fast = 0;
  #count = 0;
  #windowStart: number | undefined;

  /**
   * Records an empty poll.
   *
   * @param tookMs how long the poll was held
   * @param now milliseconds of the monotonic clock
   * @returns milliseconds to wait before the next poll
   */
  empty(tookMs: number, now: number, random: () => number): number {
    if (this.#windowStart === undefined || now - this.#windowStart > windowMs) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += 1;
    const anomalyMs = this.#count > maxEmpties ? 15_000 * (1 + random()) : 0;
    this.#fast = tookMs < fastMs ? this.#fast + 1 : 0;
    if (this.#fast === 0) return anomalyMs;
    return Math.max(anomalyMs, shortestFloorMs, backoffMs(this.#fast, floor, random));
  }

  /** Records a poll that returned a message. */
  reset(): void {
    this.#fast = 0;
    this.#count = 0;
    this.#windowStart = undefined;
  }
}
