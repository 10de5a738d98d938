import { setTimeout as wait } from 'node:timers/promises';

const limitMs = 30_000;

/** Returns the result of `read` as soon as it is neither undefined nor false. @throws Error after 30 s */
export async function eventually<T>(read: () => T | undefined | false, what: string): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await wait(5);
  }
}
