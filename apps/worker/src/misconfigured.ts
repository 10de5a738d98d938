/** The setup of the container prevents the start of the job. The message is one line that names the path or variable, and the fix. */
export class Misconfigured extends Error {}

/** Returns the code of a system error, such as `ENOENT`: the rest of its message may quote what was read. */
export function errorCode(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown error';
}
