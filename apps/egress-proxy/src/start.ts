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

const unusableAddress = new Set<unknown>(['EACCES', 'EADDRINUSE', 'EADDRNOTAVAIL']);

/** Returns what to do about an address that cannot be used; nothing for other errors, whose messages suffice. */
function fixFor(error: unknown): string {
  return unusableAddress.has((error as NodeJS.ErrnoException).code)
    ? '; choose an address of this machine and a free port'
    : '';
}
