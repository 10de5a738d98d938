import { setTimeout as sleep } from 'node:timers/promises';

/** How a check is repeated. */
interface WaitOptions {
  /** Default: a minute. */
  timeoutMs?: number | undefined;
  /** Default: 50 ms. */
  pollMs?: number | undefined;
}

/**
 * Repeats a check until it returns a value, and returns that value.
 *
 * @param what the expected state, for the error
 * @throws Error after the timeout
 */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  signal?: AbortSignal,
  { timeoutMs = 60_000, pollMs = 50 }: WaitOptions = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`${what}: this did not happen within ${timeoutMs / 1000} s`);
    await sleep(pollMs);
  }
}
