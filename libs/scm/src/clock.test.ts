import { expect, test } from '@jest/globals';
import { systemClock } from './clock.js';

test('durations are measured by a clock that is never set back', () => {
  const [now, before] = [Date.now, systemClock.monotonic()];
  Date.now = () => now() - 3_600_000;
  try {
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
  } finally {
    Date.now = now;
  }
});
