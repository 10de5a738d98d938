import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { ClockSkew, serverClock } from './clock-skew.js';

const served = Date.UTC(2026, 10, 20);
const date = new Date(served).toUTCString();

function skewOf(sentAfter: number, receivedAfter: number): number | undefined {
  const skew = new ClockSkew();
  skew.observe(date, served + sentAfter, served + receivedAfter);
  return skew.ms;
}

describe('ClockSkew', () => {
  it.each([
    ['none within the resolution of the header', 400, 600, 0],
    ['none for an answer that arrived after a minute', -30_000, 30_000, 0],
    ['ahead', 61_000, 61_500, 60_000],
    ['behind', -61_000, -60_000, -60_000],
    ['none at the resolution of the header', 1_000, 1_001, 0],
  ])('is %s', (_name, sentAfter, receivedAfter, expected) => {
    expect(skewOf(sentAfter, receivedAfter)).toBe(expected);
  });

  it('is unknown before the first date, and keeps its last value without a date', () => {
    const skew = new ClockSkew();
    skew.observe(undefined, 0, 1);
    skew.observe('soon', 0, 1);
    expect(skew.ms).toBeUndefined();
    skew.observe(date, served + 61_000, served + 61_000);
    skew.observe(undefined, 0, 1);
    expect(skew.ms).toBe(60_000);
  });
});

it('gives the time of the API server although the clock of this machine is wrong', async () => {
  const clock = new FakeClock();
  const skew = new ClockSkew();
  const server = serverClock(clock, skew);
  const correct = clock.now();
  expect(server.now()).toBe(correct);
  clock.set(10 * 60_000);
  skew.observe(new Date(correct).toUTCString(), clock.now(), clock.now());
  expect(server.now() - correct).toBeLessThanOrEqual(1_000);
  expect(server.now()).toBeGreaterThanOrEqual(correct);
  const before = server.monotonic();
  await clock.advance(5);
  expect(server.monotonic() - before).toBe(5);
});
