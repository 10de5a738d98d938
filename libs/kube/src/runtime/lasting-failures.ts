const defaultAfterMs = 60_000;

/**
 * Remembers since when keys fail, so that a failure that passes by itself, such as a rate limit, becomes a condition only when
 * it lasts. Kept in memory: after a restart the time begins anew.
 */
export class LastingFailures {
  readonly #since = new Map<string, number>();

  readonly #afterMs: number;

  /** @param afterMs milliseconds for which a key must fail before its failure lasts. */
  constructor(afterMs = defaultAfterMs) {
    this.#afterMs = afterMs;
  }

  /**
   * Records a failure. Returns whether the key fails for so long, counting the time that the error itself asks to wait.
   *
   * @param now milliseconds since the epoch
   */
  record(key: string, { retryAfterMs = 0 }: { retryAfterMs?: number | undefined }, now: number): boolean {
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    return now + retryAfterMs - since >= this.#afterMs;
  }

  /** Records that a key does not fail any more, or is gone. */
  clear(key: string): void {
    this.#since.delete(key);
  }
}
