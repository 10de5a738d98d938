import type { Clock } from '@interlock/base';

/** The longest delay of Node's timers. A key that waits longer fires early, and is then set again. */
const longestMs = 2 ** 31 - 1;

/** A timer for each key, for work that no event triggers. */
export class KeyedTimers {
  readonly #clock: Clock;
  readonly #fire: (key: string) => void;
  readonly #timers = new Map<string, { cancel(): void }>();
  #stopped = false;

  constructor(clock: Clock, fire: (key: string) => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Sets the delay of a key in milliseconds, and replaces an earlier one; undefined cancels it. */
  set(key: string, delayMs: number | undefined): void {
    this.clear(key);
    if (delayMs === undefined || this.#stopped) return;
    const timer = this.#clock.setTimeout(
      () => {
        this.#timers.delete(key);
        this.#fire(key);
      },
      Math.min(Math.max(0, delayMs), longestMs),
    );
    this.#timers.set(key, timer);
  }

  /** Cancels the timer of a key. Returns whether there was one. */
  clear(key: string): boolean {
    this.#timers.get(key)?.cancel();
    return this.#timers.delete(key);
  }

  /** Cancels all timers, and ignores delays that are set later. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}
