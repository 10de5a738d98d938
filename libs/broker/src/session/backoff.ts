import { backoffMs } from '@interlock/base';

/** How long to wait after the `failures`-th failure in a row, in milliseconds: 15-30 s for the first five, then 30-60 s (seed 3.3). */
export function failureBackoffMs(failures: number, random: () => number): number {
  const baseMs = failures <= 5 ? 15_000 : 30_000;
  return baseMs * (1 + random());
}

/** Milliseconds until a poll after one that returned only what is handled already: the service returns it again at once. */
export function repeatBackoffMs(random: () => number): number {
  return 5_000 * (1 + random());
}

const fastMs = 5_000;
/** A service that never holds a poll has jobs, too: they wait no longer than this, until there are too many empty polls. */
const floor = { baseMs: 200, maxMs: 5_000 };
const shortestFloorMs = 100;
const windowMs = 30 * 60_000;
const maxEmpties = 50;

/**
 * Slows polls down that return at once with nothing. A poll of a service that works is held for 50 s, so that neither rule
 * applies: a floor that grows with each fast empty poll, and 15-30 s after 50 empty ones in 30 min (seed 3.3).
 */
export class EmptyGuard {
  /** Consecutive empty polls that were fast. */
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
