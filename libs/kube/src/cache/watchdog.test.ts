import { FakeClock } from '@interlock/base/testing';
import { expect, test } from '@jest/globals';
import { ReconnectBackoff } from './reconnect.js';
import { Watchdog } from './watchdog.js';

const idleMs = 60_000;
const steps = [-3_600_000, 0, 3_600_000];

test.each(steps)('fires at the same time when the clock jumps by %d ms', async (stepMs) => {
  const clock = new FakeClock();
  const watchdog = new Watchdog(clock, idleMs, () => undefined);
  await clock.advance(idleMs / 2);
  watchdog.touch();
  clock.set(stepMs);
  await clock.advance(idleMs - 1);
  expect(watchdog.fired).toBe(false);
  await clock.advance(1);
  expect(watchdog.fired).toBe(true);
});

test.each(steps)(
  'resets the backoff after a healthy minute when the clock jumps by %d ms',
  async (stepMs) => {
    const clock = new FakeClock();
    const backoff = new ReconnectBackoff(clock, () => 0.5);
    expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([400, 800, 1600]);
    clock.set(stepMs);
    await clock.advance(30_000);
    expect(backoff.next()).toBe(3_200);
    await clock.advance(63_200);
    expect(backoff.next()).toBe(400);
  },
);
