import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { KeyedTimers } from './keyed-timers.js';

describe('KeyedTimers', () => {
  it('fire a key once, at the last set time', async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const timers = new KeyedTimers(clock, (key) => fired.push(key));
    timers.set('a', 1000);
    timers.set('b', 1000);
    timers.set('a', 3000);
    await clock.advance(2000);
    expect(fired).toEqual(['b']);
    await clock.advance(5000);
    expect(fired).toEqual(['b', 'a']);
  });

  it('do not fire cancelled or stopped keys', async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const timers = new KeyedTimers(clock, (key) => fired.push(key));
    timers.set('a', 1000);
    timers.set('a', undefined);
    timers.set('b', 1000);
    timers.stop();
    timers.set('c', 1000);
    await clock.advance(2000);
    expect(fired).toEqual([]);
  });
});
