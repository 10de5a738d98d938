/** Where the forge takes the time from. */
export interface Clock {
  /** @returns milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** @returns a time as GitHub writes it: RFC 3339 in UTC, to the second. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}
