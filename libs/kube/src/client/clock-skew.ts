import type { Clock } from '@interlock/base';

/** The resolution of the header `Date` (RFC 9110 §5.6.7). */
const second = 1_000;

/**
 * How far the clock of this machine is ahead of the API server's, according to the `Date` of its last answer. Of the
 * possible times of the server, the one nearest to the local time counts: neither the resolution of the header nor a
 * slow answer is a skew.
 */
export class ClockSkew {
  #ms: number | undefined;

  /** Milliseconds; negative if this machine is behind. Undefined before the first answer. */
  get ms(): number | undefined {
    return this.#ms;
  }

  /**
   * Records an answer. An answer without a valid date is ignored.
   *
   * @param date the header
   * @param sentAt milliseconds since the epoch by the clock of this machine
   */
  observe(date: unknown, sentAt: number, receivedAt: number): void {
    const served = typeof date === 'string' ? Date.parse(date) : NaN;
    if (Number.isNaN(served)) return;
    const least = sentAt - (served + second);
    const most = receivedAt - served;
    this.#ms = least > 0 ? least : Math.min(most, 0);
  }
}

/**
 * Returns a clock with the time of the API server, so that the times of Kubernetes objects can be compared with it although the clock
 * of this machine is wrong.
 */
export function serverClock(clock: Clock, skew: Pick<ClockSkew, 'ms'>): Clock {
  return {
    now: () => clock.now() - (skew.ms ?? 0),
    monotonic: () => clock.monotonic(),
    setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
  };
}
