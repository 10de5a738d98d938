import type { Clock } from '@interlock/base';

/**
 * Calls back once if `touch` has not been called for a while. A call is cheap, because the timer is not reset each
 * time.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #touchedAt: number;
  #timer: { cancel(): void };
  #fired = false;

  constructor(clock: Clock, idleMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
    this.#touchedAt = clock.monotonic();
    this.#timer = this.#arm(idleMs);
  }

  get fired(): boolean {
    return this.#fired;
  }

  touch(): void {
    this.#touchedAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #arm(ms: number): { cancel(): void } {
    return this.#clock.setTimeout(() => {
      const restMs = this.#touchedAt + this.#idleMs - this.#clock.monotonic();
      if (restMs > 0) {
        this.#timer = this.#arm(restMs);
        return;
      }
      this.#fired = true;
      this.#onIdle();
    }, ms);
  }
}
