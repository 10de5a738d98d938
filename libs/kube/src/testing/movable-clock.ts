import type { Clock } from '../runtime/types.js';

/** The longest delay that Node's timers take; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

interface Timer {
  at: number;
  callback: () => void;
  handle: NodeJS.Timeout;
}

/** The time of this machine, which a test can move forward so that it need not wait for intervals of minutes. */
export class MovableClock implements Clock {
  #offsetMs = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  setTimeout(callback: () => void, ms: number): { cancel(): void } {
    const timer: Timer = { at: this.now() + ms, callback, handle: this.#arm(() => this.#fire(timer), ms) };
    this.#timers.add(timer);
    return {
      cancel: () => {
        clearTimeout(timer.handle);
        this.#timers.delete(timer);
      },
    };
  }

  /** Moves the time; timers that fall due on the way fire soon. */
  forward(ms: number): void {
    this.#offsetMs += ms;
    for (const timer of this.#timers) {
      clearTimeout(timer.handle);
      timer.handle = this.#arm(() => this.#fire(timer), timer.at - this.now());
    }
  }

  #arm(callback: () => void, ms: number): NodeJS.Timeout {
    return setTimeout(callback, Math.min(longestTimerMs, Math.max(0, ms)));
  }

  #fire(timer: Timer): void {
    const restMs = timer.at - this.now();
    if (restMs > 0) {
      timer.handle = this.#arm(() => this.#fire(timer), restMs);
      return;
    }
    this.#timers.delete(timer);
    timer.callback();
  }
}
