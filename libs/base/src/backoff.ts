export interface Backoff {
  baseMs: number;
  maxMs: number;
}

/**
 * Returns the milliseconds to wait before an attempt: exponential backoff with full jitter, a uniformly random delay below
 * `baseMs * 2^(attempt-1)`, capped. Source: "Exponential Backoff And Jitter", AWS Architecture Blog.
 *
 * @param attempt counts from 1
 * @param random yields numbers in [0, 1)
 */
export function backoffMs(attempt: number, backoff: Backoff, random: () => number): number {
  const ceiling = Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(attempt - 1, 52));
  return Math.floor(random() * ceiling);
}
