/**
 * Work for one client that is given up when the client disconnects, or at its time limit. An AbortSignal would do the
 * same, but would add a fifth to the cost of a tunnel.
 */
export class Attempt {
  #isGivenUp = false;
  #listener: (() => void) | undefined;

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  giveUp(): void {
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.#listener?.();
    this.#listener = undefined;
  }

  /**
   * Calls back when the work is given up, or at once if it already is. Only the latest callback is kept: the callback of the
   * current step.
   */
  whenGivenUp(listener: (() => void) | undefined): void {
    this.#listener = listener;
    if (this.#isGivenUp) listener?.();
  }
}
