import type { Clock } from './clock.js';
import { LinkedList, ListElement } from './linked-list.js';

/** Work with a time limit. It is in at most one {@link Deadlines}. */
export abstract class Deadline extends ListElement<Deadline> {
  /** Used by {@link Deadlines} only: when the time is over, in milliseconds of the monotonic clock. */
  endsAt = 0;

  /** Called when the time is over before the work is done. */
  abstract expire(): void;
}

/** The time limit of one piece of work. */
interface TimeLimit {
  /** Whether the time was over before the work was done. */
  readonly isOver: boolean;
  /** Ends the time limit, because the work is done. */
  cancel(): void;
}

/**
 * The time limits of all work of one kind. Because they have the same length, they end in the order in which they started, so one timer
 * serves all of them.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #running = new LinkedList<Deadline>();
  #timer: { cancel(): void } | undefined;
  /** The milliseconds for each piece of work. */
  readonly ms: number;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.ms = ms;
  }

  /** Starts the time limit of a piece of work. @param onOver called when the time is over before the work is done */
  start(onOver: () => void): TimeLimit {
    const limit = new CallbackLimit(this, onOver);
    this.add(limit);
    return limit;
  }

  /** Starts the time limit of work that is not in a list. */
  add(work: Deadline): void {
    /* Whole milliseconds: V8 keeps a fraction in an object of its own. */
    work.endsAt = Math.ceil(this.#clock.monotonic()) + this.ms;
    this.#running.add(work);
    if (this.#timer === undefined) this.#arm(this.ms);
  }

  /** Ends the time limit of work that is done. Work without a time limit is ignored. */
  remove(work: Deadline): void {
    if (!this.#running.remove(work) || this.#running.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimeout(() => this.#expire(), ms);
  }

  #expire(): void {
    for (let oldest = this.#running.first; oldest !== undefined; oldest = this.#running.first) {
      const left = oldest.endsAt - this.#clock.monotonic();
      if (left > 0) return this.#arm(Math.ceil(left));
      this.#running.remove(oldest);
      oldest.expire();
    }
    this.#timer = undefined;
  }
}

class CallbackLimit extends Deadline implements TimeLimit {
  readonly #owner: Deadlines;
  readonly #onOver: () => void;
  isOver = false;

  constructor(owner: Deadlines, onOver: () => void) {
    super();
    this.#owner = owner;
    this.#onOver = onOver;
  }

  cancel(): void {
    this.#owner.remove(this);
  }

  expire(): void {
    this.isOver = true;
    this.#onOver();
  }
}
