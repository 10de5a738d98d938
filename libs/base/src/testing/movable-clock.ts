import { systemClock, type Clock } from '../clock.js';

interface Timer {
  at: number;
  callback: () => void;
  handle: { cancel(): void };
}

/** The clock of this machine, which a test can advance instead of waiting for intervals of minutes. */
export class MovableClock implements Clock {
  #offsetMs = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  monotonic(): number {
    return performance.now() + this.#offsetMs;
  }

  setTimeout(callback: () => void, ms: number): { cancel(): void } {
    const timer: Timer = {
      at: this.monotonic() + ms,
      callback,
      handle: this.#arm(() => this.#fire(timer), ms),
    };
    this.#timers.add(timer);
    return {
      cancel: () => {
        timer.handle.cancel();
        this.#timers.delete(timer);
      },
    };
  }

  /** Advances the time. Timers that fall due meanwhile fire soon. */
  forward(ms: number): void {
    this.#offsetMs += ms;
    for (const timer of this.#timers) {
      timer.handle.cancel();
      timer.handle = this.#arm(() => this.#fire(timer), timer.at - this.monotonic());
    }
  }

  #arm(callback: () => void, ms: number): { cancel(): void } {
    return systemClock.setTimeout(callback, Math.max(0, ms));
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    timer.callback();
  }
}
