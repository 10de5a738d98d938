import { setTimeout } from 'node:timers/promises';

const pollMs = 40;

/**
 * Makes a check again and again until it passes.
 *
 * @param check rejects, as `expect` does, while what is waited for is not there
 * @returns what the check gives
 * @throws what the check threw last when it does not pass within the time
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 30_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await setTimeout(pollMs);
  }
}
