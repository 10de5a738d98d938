import { systemClock, type Clock } from '@interlock/base';

interface Timer {
  /** Due time by this clock, in milliseconds. */
  at: number;
  fire: () => void;
}

/** The system clock, which a test can advance: timers that become due fire at once. */
export class LeapingClock implements Clock {
  readonly #timers = new Set<Timer>();
  #ahead = 0;

  now(): number {
    return systemClock.now() + this.#ahead;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#ahead;
  }

  setTimeout(callback: () => void, ms: number): { cancel(): void } {
    const timer: Timer = { at: this.monotonic() + ms, fire: () => undefined };
    const cancel = (): void => {
      this.#timers.delete(timer);
      running.cancel();
    };
    timer.fire = () => {
      cancel();
      callback();
    };
    const running = systemClock.setTimeout(timer.fire, ms);
    this.#timers.add(timer);
    return { cancel };
  }

  leap(ms: number): void {
    this.#ahead += ms;
    for (const timer of [...this.#timers]) if (timer.at <= this.monotonic()) timer.fire();
  }
}
