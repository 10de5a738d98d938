import { setTimeout } from 'node:timers/promises';

const minPollMs = 25;
const maxPollMs = 250;
/* A check puts load on its target: after a long wait the interval may be longer, as long as it adds little to the
   total. */
const share = 0.05;
/* Below the limit of a test, whose message does not state what is missing. A loaded machine needs a minute at times. */
const defaultTimeoutMs = 90_000;

/**
 * Repeats a check until it passes, and returns its result.
 *
 * @param check rejects, like `expect`, while the expected state is not reached
 * @throws the last error of the check when it does not pass in time
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = defaultTimeoutMs): Promise<T> {
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
