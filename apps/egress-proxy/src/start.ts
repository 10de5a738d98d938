import { UsageError } from '@interlock/service/flags';

/**
 * Returns the result of a step of the start.
 *
 * @param flags whose values the step uses
 * @throws UsageError that names them when the step fails
 */
export async function startOf<T>(flags: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new UsageError(`${flags} cannot be used: ${(error as Error).message}${fixFor(error)}`);
  }
}

/** Returns what to do about an error of the operating system, which concerns an address; nothing for others, whose messages contain it. */
function fixFor(error: unknown): string {
  return (error as NodeJS.ErrnoException).code !== undefined
    ? '; choose an address of this machine and a free port'
    : '';
}
