/**
 * Runs a function for each item with limited concurrency, and waits for all of them.
 *
 * @throws the error of the first call that failed
 */
export async function eachOf<T>(
  items: readonly T[],
  concurrency: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      try {
        await run(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (failures.length > 0) throw failures[0];
}
