import type { Clock } from '@interlock/base';
import { LinkedList, ListElement } from './linked-list.js';

/** The time limit of one piece of work. */
interface Deadline {
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
  readonly #ms: number;
  readonly #running = new LinkedList<RunningDeadline>();
  #timer: { cancel(): void } | undefined;

  /** @param ms milliseconds for each piece of work */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Starts the time limit of a piece of work. @param onOver called when the time is over before the work is done */
  start(onOver: () => void): Deadline {
    const deadline = new RunningDeadline(this, this.#clock.monotonic() + this.#ms, onOver);
    this.#running.add(deadline);
    if (this.#timer === undefined) this.#arm(this.#ms);
    return deadline;
  }

  /** Removes a time limit. Called by the deadline itself. */
  remove(deadline: RunningDeadline): void {
    if (!this.#running.remove(deadline) || this.#running.size > 0) return;
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

class RunningDeadline extends ListElement<RunningDeadline> implements Deadline {
  readonly endsAt: number;
  readonly #owner: Deadlines;
  readonly #onOver: () => void;
  isOver = false;

  constructor(owner: Deadlines, endsAt: number, onOver: () => void) {
    super();
    this.#owner = owner;
    this.endsAt = endsAt;
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
