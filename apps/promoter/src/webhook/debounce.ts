import { messageOf } from '@interlock/api';
import type { Clock, Logger } from '@interlock/base';

/** Runs the work of a key at once, and then once for all requests that arrive until an interval after its end. */
export class Debounce {
  readonly #clock: Pick<Clock, 'setTimeout'>;
  readonly #log: Logger;
  readonly #intervalMs: number;
  /** The work that waits for the end of the interval, by the keys whose work or interval has not ended. */
  readonly #waiting = new Map<string, (() => Promise<void>) | undefined>();

  constructor(clock: Pick<Clock, 'setTimeout'>, log: Logger, intervalMs: number) {
    this.#clock = clock;
    this.#log = log;
    this.#intervalMs = intervalMs;
  }

  /**
   * Runs the work at once, or at the end of the interval. Resolves when it is done, or at once if it has to wait. Rejects
   * when work that is run at once fails.
   */
  async run(key: string, work: () => Promise<void>): Promise<void> {
    if (this.#waiting.has(key)) {
      this.#waiting.set(key, work);
      return;
    }
    await this.#perform(key, work);
  }

  /* The interval begins when the work ends, so that work that takes longer does not pile up. */
  async #perform(key: string, work: () => Promise<void>): Promise<void> {
    this.#waiting.set(key, undefined);
    try {
      await work();
    } finally {
      this.#clock.setTimeout(() => this.#end(key), this.#intervalMs);
    }
  }

  #end(key: string): void {
    const work = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (work === undefined) return;
    /* The next poll of the repository compensates for it. */
    this.#perform(key, work).catch((error: unknown) =>
      this.#log.warn(
        { key, error: messageOf(error) },
        'could not record the refresh that a webhook requested',
      ),
    );
  }
}
