/** Number of keys that are added at once: a few milliseconds. */
const sliceSize = 500;

/**
 * Passes on the keys of the objects that exist at the start, in slices: there may be tens of thousands, and all controllers start
 * at the same time, while the lease has to be renewed.
 */
export class InitialKeys {
  readonly #add: (key: string) => void;
  readonly #waiting: string[] = [];
  /** Number of keys that may be added before the next pause. */
  #room = sliceSize;

  constructor(add: (key: string) => void) {
    this.#add = add;
  }

  push(key: string): void {
    if (this.#room === 0) {
      this.#waiting.push(key);
      return;
    }
    if (this.#room === sliceSize) setImmediate(() => this.#resume());
    this.#room--;
    this.#add(key);
  }

  #resume(): void {
    this.#room = sliceSize;
    for (const key of this.#waiting.splice(0, sliceSize)) this.push(key);
  }
}
