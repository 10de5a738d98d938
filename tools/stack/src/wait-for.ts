import { setTimeout as sleep } from 'node:timers/promises';

const defaultTimeoutMs = 60_000;
const pollMs = 50;

/**
 * Repeats a check until it returns something, and returns that.
 * @param what is waited for, for the error
 * @param timeoutMs default: a minute
 * @throws Error when it takes longer
 */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  signal?: AbortSignal,
  timeoutMs = defaultTimeoutMs,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await sleep(pollMs);
  }
}
