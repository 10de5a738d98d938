import { setTimeout } from 'node:timers/promises';

const minPollMs = 25;
const maxPollMs = 250;
/* A look costs whoever is asked: after a long wait the next may be later, as long as it adds little to the whole. */
const share = 0.05;

/**
 * Makes a check again and again until it passes.
 *
 * @param check rejects, as `expect` does, while what is waited for is not there
 * @returns what the check gives
 * @throws what the check threw last when it does not pass within the time
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 30_000): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() - begun > timeoutMs) throw error;
    }
    const waited = performance.now() - begun;
    await setTimeout(Math.min(Math.max(waited * share, minPollMs), maxPollMs));
  }
}
