import { setTimeout as sleep } from 'node:timers/promises';

const timeoutMs = 60_000;
const pollMs = 50;

/**
 * Looks again and again.
 * @param what is waited for, for the error
 * @returns what the look gives, once that is something
 * @throws Error when it takes more than a minute
 */
export async function waitFor<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await sleep(pollMs);
  }
}
