import { Deadlines, systemClock, type Clock, type Deadline } from '@interlock/base';

/** The timeouts of calls in progress. Calls with equal timeouts share a timer: thousands of polls are answered each minute. */
export class Timeouts {
  readonly #clock: Clock;
  /** By milliseconds. There are few, because callers use constants. */
  readonly #byLength = new Map<number, Deadlines>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Starts the timeout of a call. Returns where it is to be removed when the call has ended. */
  start(call: Deadline, ms: number): Deadlines {
    let deadlines = this.#byLength.get(ms);
    if (deadlines === undefined) {
      deadlines = new Deadlines(this.#clock, ms);
      this.#byLength.set(ms, deadlines);
    }
    deadlines.add(call);
    return deadlines;
  }
}
