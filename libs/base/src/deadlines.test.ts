import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './testing/fake-clock.js';
import { Deadlines } from './deadlines.js';

describe('Deadlines', () => {
  it('ends each piece of work at its own deadline, with one timer for all', async () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock, 1_000);
    const ended: string[] = [];
    const first = deadlines.start(() => ended.push('first'));
    await clock.advance(400);
    const second = deadlines.start(() => ended.push('second'));
    deadlines.start(() => ended.push('third')).cancel();
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(599);
    expect([ended, first.isOver]).toEqual([[], false]);
    await clock.advance(1);
    expect([ended, first.isOver, second.isOver]).toEqual([['first'], true, false]);
    await clock.advance(399);
    expect(ended).toEqual(['first']);
    await clock.advance(1);
    expect([ended, second.isOver, clock.pendingTimers]).toEqual([['first', 'second'], true, 0]);
  });

  it('leaves no timer when all work is done', async () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock, 1_000);
    const work = [deadlines.start(fail), deadlines.start(fail)];
    for (const deadline of work) deadline.cancel();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(2_000);
    expect(work.map(({ isOver }) => isOver)).toEqual([false, false]);
  });

  it('allows work to start and to end while other work runs out of time', async () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock, 1_000);
    const ended: string[] = [];
    deadlines.start(() => {
      ended.push('first');
      same.cancel();
      deadlines.start(() => ended.push('next'));
    });
    const same = deadlines.start(fail);
    await clock.advance(1_999);
    expect([ended, clock.pendingTimers]).toEqual([['first'], 1]);
    await clock.advance(1);
    expect([ended, clock.pendingTimers]).toEqual([['first', 'next'], 0]);
  });
});

function fail(): void {
  throw new Error('the work is done in time');
}
