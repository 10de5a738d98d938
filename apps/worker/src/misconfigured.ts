/** The job cannot start as the container is set up. The message is one line that names the path or variable, and the fix. */
export class Misconfigured extends Error {}

/** Returns the code of a system error, such as `ENOENT`: the rest of its message may quote what was read. */
export function errorCode(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown error';
}
