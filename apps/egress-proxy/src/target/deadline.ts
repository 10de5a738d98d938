import type { Clock } from '@interlock/base';
import type { Attempt } from '../relay/attempt.js';

/** Gives an attempt up after a time. Cancel it when the work is done, so that no timer remains. */
export class Deadline {
  readonly #timer: { cancel(): void };
  #isOver = false;

  /** @param ms milliseconds from now */
  constructor(clock: Clock, ms: number, attempt: Attempt) {
    this.#timer = clock.setTimeout(() => {
      this.#isOver = true;
      attempt.giveUp();
    }, ms);
  }

  /** Whether the time was over before the work was done. */
  get isOver(): boolean {
    return this.#isOver;
  }

  cancel(): void {
    this.#timer.cancel();
  }
}
