const sessionPrefix = '00000000-0000-4000-8000-';

/** A text of about the length of the token of a runner, which is a JSON Web Token. */
export const token = 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.'.padEnd(
  1_000,
  'abcdefghijklmnopqrstuvwxyz0123456789',
);

/** Returns the session of a runner. */
export function sessionOf(runner: number): string {
  return sessionPrefix + String(runner).padStart(12, '0');
}

/** Returns the path of a poll for a runner. */
export function pathOfPoll(runner: number): string {
  return `/message?sessionId=${sessionOf(runner)}&status=Online&runnerVersion=2.335.1&os=Linux&architecture=X64`;
}

/** Returns the runner of the path of a poll. */
export function runnerOfPoll(path: string): number {
  const at = path.indexOf(sessionPrefix) + sessionPrefix.length;
  return Number(path.slice(at, at + 12));
}
