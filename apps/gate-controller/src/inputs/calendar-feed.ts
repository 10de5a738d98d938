import { messageOf } from '@interlock/api';
import { delay, Problem, type Clock } from '@interlock/base';
import type { Reading } from './reading.js';

/** Milliseconds between two reads of a calendar, and after a failed read. */
const refreshMs = 15 * 60_000;
const retryMs = 60_000;
/** How long the last text is used while the host cannot be read; in milliseconds. */
const trustMs = 60 * 60_000;

/** Reads the calendar at a URL periodically. */
export class CalendarFeed {
  #reading: Reading<string>;
  #readAt = 0;
  /** Monotonic time until which the last text is used. */
  #trustedUntil = -Infinity;

  readonly #fetch: (signal: AbortSignal) => Promise<string>;
  readonly #clock: Clock;
  readonly #changed: () => void;

  /**
   * Creates a feed that has not been read yet.
   *
   * @param changed called when `reading` has changed
   */
  constructor(fetch: (signal: AbortSignal) => Promise<string>, clock: Clock, changed: () => void) {
    this.#fetch = fetch;
    this.#clock = clock;
    this.#changed = changed;
  }

  get reading(): Reading<string> {
    return this.#reading;
  }

  /** When it was last read; milliseconds since the epoch. */
  get readAt(): number {
    return this.#readAt;
  }

  /** Reads the calendar periodically until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const good = await this.#read(signal);
      await delay(this.#clock, good ? refreshMs : retryMs, signal);
    }
  }

  async #read(signal: AbortSignal): Promise<boolean> {
    try {
      const value = await this.#fetch(signal);
      this.#readAt = this.#clock.now();
      this.#trustedUntil = this.#clock.monotonic() + trustMs;
      this.#become(value);
      return true;
    } catch (error) {
      if (!signal.aborted && this.#clock.monotonic() > this.#trustedUntil)
        this.#become(new Problem('NotReadable', messageOf(error)));
      return false;
    }
  }

  #become(reading: Reading<string>): void {
    const before = JSON.stringify(this.#reading);
    this.#reading = reading;
    if (before !== JSON.stringify(reading)) this.#changed();
  }
}
