/**
 * Work for one client that is given up when the client goes, or when its time is over. An AbortSignal does the same, and would be a
 * fifth of all that a tunnel costs.
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

  /** Calls back when the work is given up, at once when it is already. The step under way is the one that listens, in place of any other. */
  whenGivenUp(listener: (() => void) | undefined): void {
    this.#listener = listener;
    if (this.#isGivenUp) listener?.();
  }
}
