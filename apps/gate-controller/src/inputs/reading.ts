/**
 * What is known of something that a keeper refers to.
 * - `pending`: nobody has looked yet, which is a matter of seconds.
 * - `error`: it cannot be read; a sentence with what to do about it.
 */
export type Reading<T> = { type: 'pending' } | { type: 'known'; value: T } | { type: 'error'; error: string };

export const pending = { type: 'pending' } as const;

export function failed(error: string): { type: 'error'; error: string } {
  return { type: 'error', error };
}
