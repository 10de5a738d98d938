const afterMs = 60_000;

/**
 * Remembers since when keys have failed, so that a failure that passes by itself, such as a rate limit, becomes a
 * condition only if it lasts. The times are kept in memory, so they begin anew after a restart.
 */
export class LastingFailures {
  readonly #since = new Map<string, number>();

  /**
   * Records a failure. Returns whether it is lasting, including the delay that the error itself requests.
   *
   * @param now milliseconds since the epoch
   */
  record(key: string, { retryAfterMs = 0 }: { retryAfterMs?: number | undefined }, now: number): boolean {
    /* The clock may be set back. */
    const since = Math.min(this.#since.get(key) ?? now, now);
    this.#since.set(key, since);
    return now + retryAfterMs - since >= afterMs;
  }

  /** Records that a key no longer fails, or is gone. */
  clear(key: string): void {
    this.#since.delete(key);
  }
}
