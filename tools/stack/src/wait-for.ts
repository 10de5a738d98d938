import { setTimeout as sleep } from 'node:timers/promises';

const timeoutMs = 60_000;
const pollMs = 50;

/**
 * Repeats a check until it returns something, and returns that.
 * @param what is waited for, for the error
 * @throws Error when it takes more than a minute
 */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  signal?: AbortSignal,
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
