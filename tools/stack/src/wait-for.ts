import { setTimeout as sleep } from 'node:timers/promises';
import { isTyped } from '@interlock/api';

/** How a check is repeated. */
interface WaitOptions {
  /** Default: a minute. */
  timeoutMs?: number | undefined;
  /** Default: 50 ms. */
  pollMs?: number | undefined;
}

/**
 * Repeats a check until it returns a value, and returns that value. A transient failure, such as of an overloaded API server,
 * does not end the wait.
 *
 * @param what the expected state, for the error
 * @throws Error after the timeout; any other error of the check
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
    let cause: unknown;
    try {
      const found = await check();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      if (!isTyped(error, 'Transient')) throw error;
      cause = error;
    }
    if (Date.now() > deadline)
      throw new Error(`${what}: this did not happen within ${timeoutMs / 1000} s`, { cause });
    await sleep(pollMs);
  }
}
