import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.js';

interface Timer {
  at: number;
  sequence: number;
  callback: () => void;
}

/** A clock that advances only when a test advances it. Timers follow the monotonic time. */
export class FakeClock implements Clock {
  #now: number;
  #setMs = 0;
  #sequence = 0;
  readonly #timers = new Set<Timer>();
  #timerSet: () => void = () => undefined;

  /**
   * Creates a clock.
   *
   * @param start milliseconds since the epoch; default: 2026-01-01T00:00:00Z
   */
  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now + this.#setMs;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the clock forward or back, as an operator or NTP does; no time passes. */
  set(byMs: number): void {
    this.#setMs += byMs;
  }

  setTimeout(callback: () => void, ms: number): { cancel(): void } {
    const timer = { at: this.#now + Math.max(0, ms), sequence: this.#sequence++, callback };
    this.#timers.add(timer);
    this.#timerSet();
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Number of timers that were set and have neither fired nor been cancelled. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /**
   * Advances the time by `ms` and fires the timers that fall due, in the order of their times. Each timer sees its own
   * time as the current one. The promises that it settles run before the next timer, so timers that they set fire too.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
      await settle();
    }
    this.#now = end;
  }

  /**
   * Steps the clock from timer to timer until `promise` settles, and returns its value. Waits for work that needs no
   * timer.
   */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = promise.then(
      () => void (settled = true),
      () => void (settled = true),
    );
    while (!settled) {
      await setImmediate();
      const next = this.#next(Infinity);
      if (next === undefined) await Promise.race([done, this.#nextTimer()]);
      else if (!settled) await this.advance(Math.max(0, next.at - this.#now));
    }
    return promise;
  }

  #nextTimer(): Promise<void> {
    return new Promise((resolve) => (this.#timerSet = resolve));
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (
        next === undefined ||
        timer.at < next.at ||
        (timer.at === next.at && timer.sequence < next.sequence)
      ) {
        next = timer;
      }
    }
    return next;
  }
}

/** Runs the promise chains that depend only on each other. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}
