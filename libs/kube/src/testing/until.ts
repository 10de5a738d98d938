import { setTimeout } from 'node:timers/promises';

/**
 * Resolves when `condition` holds.
 *
 * @throws Error with the result of `describe` when it does not hold in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  describe: () => unknown = () => condition.toString(),
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`not within ${timeoutMs} ms: ${JSON.stringify(describe())}`);
    await setTimeout(5);
  }
}
