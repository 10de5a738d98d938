import { setTimeout as wait } from 'node:timers/promises';

const limitMs = 60_000;

/** Returns the result of `read` as soon as it is neither undefined nor false. @throws Error after a minute */
export async function eventually<T>(read: () => T | undefined | false, what: string): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await wait(5);
  }
}
