/** The text is kept for this multiple of the time that it took to render. */
const keptFor = 9;

/**
 * Renders the metrics for any number of clients in a tenth of the time at most: any pod may be able to read them, and the
 * process renders them on the thread of its work.
 */
export class MetricsText {
  readonly #render: () => Promise<string>;
  readonly #now: () => number;
  #text: Promise<string> | undefined;
  #expiresAt = 0;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(render: () => Promise<string>, now: () => number) {
    this.#render = render;
    this.#now = now;
  }

  /** Returns the metrics as they are now, or as they were a few milliseconds ago. */
  get(): Promise<string> {
    if (this.#text === undefined || this.#now() >= this.#expiresAt) this.#text = this.#renewed();
    return this.#text;
  }

  async #renewed(): Promise<string> {
    const begin = this.#now();
    this.#expiresAt = Infinity;
    try {
      return await this.#render();
    } finally {
      const end = this.#now();
      this.#expiresAt = end + keptFor * (end - begin);
    }
  }
}
