import { describe, expect, test } from '@jest/globals';
import { Liveness, pingAfterMs, pingTimeoutMs } from './liveness.js';

/** Runs the timer of a watched connection with calls, each time after some milliseconds. Returns what happened. */
function watch(delays: readonly number[]): string[] {
  const seen: string[] = [];
  let now = 0;
  let check: () => void = () => undefined;
  const clock = {
    now: () => now,
    monotonic: () => now,
    setTimeout: (callback: () => void) => {
      check = callback;
      return { cancel: () => undefined };
    },
  };
  const connection = {
    streams: 1,
    ping: () => void seen.push('ping'),
    die: () => void seen.push('die'),
    expire: () => void seen.push('expire'),
  };
  const liveness = new Liveness(connection, clock);
  for (const delay of delays) {
    now += delay;
    check();
  }
  liveness.stop();
  return seen;
}

describe('the answer to a PING', () => {
  test('is awaited for a limited time', () => {
    expect(watch([pingAfterMs, pingTimeoutMs])).toEqual(['ping', 'die']);
  });

  test('is awaited once more after the process was paused, because it could not read the answer', () => {
    expect(watch([pingAfterMs, pingTimeoutMs + 60_000])).toEqual(['ping']);
    expect(watch([pingAfterMs, pingTimeoutMs + 60_000, pingTimeoutMs])).toEqual(['ping', 'die']);
  });
});
