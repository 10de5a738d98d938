import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { Worker } from './worker.js';

describe('Worker', () => {
  it('retries a failing key with doubled delays until it succeeds', async () => {
    const clock = new FakeClock();
    const start = clock.now();
    const times: number[] = [];
    const worker = new Worker(clock, async () => {
      times.push(clock.now() - start);
      if (times.length < 5) throw new Error('not yet');
    });
    worker.add('a');
    await clock.advance(60_000);
    expect(times).toEqual([0, 200, 600, 1_400, 3_000]);
  });

  it('retries a failing key at least every half minute', async () => {
    const clock = new FakeClock();
    const times: number[] = [];
    const worker = new Worker(clock, async () => {
      times.push(clock.now());
      throw new Error('never');
    });
    worker.add('a');
    await clock.advance(3_600_000);
    const [last = 0, before = 0] = times.reverse();
    expect(last - before).toBe(30_000);
    worker.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
