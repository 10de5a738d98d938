import type { Clock } from '@interlock/base';
import type { ServiceEvents } from './record/service-events.js';

/** Periods in which the service is unreachable, except for its control API. */
export class Partition {
  readonly #clock: Clock;
  readonly #events: ServiceEvents;
  readonly #disconnect: () => void;
  #timer: { cancel(): void } | undefined;

  constructor(clock: Clock, events: ServiceEvents, disconnect: () => void) {
    this.#clock = clock;
    this.#events = events;
    this.#disconnect = disconnect;
  }

  get isActive(): boolean {
    return this.#timer !== undefined;
  }

  /** Ends every connection, and refuses all requests for `ms` milliseconds from now. */
  start(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimeout(() => this.end(), ms);
    this.#events.record('partition-started');
    this.#disconnect();
  }

  end(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#events.record('partition-ended');
  }
}
