import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { eventually } from '@interlock/kube/testing';
import { CalendarFeed } from './calendar-feed.js';

const minute = 60_000;

describe('CalendarFeed', () => {
  it('rereads the calendar, keeps the last text for an hour while its host is unavailable, and reports changes', async () => {
    const clock = new FakeClock();
    let answer: string | Error = 'one';
    let reads = 0;
    let changes = 0;
    const feed = new CalendarFeed(
      () => {
        reads++;
        return typeof answer === 'string' ? Promise.resolve(answer) : Promise.reject(answer);
      },
      clock,
      () => void changes++,
    );
    expect(feed.reading).toBeUndefined();
    const abort = new AbortController();
    const ended = feed.run(abort.signal);
    const after = async (ms: number): Promise<void> => {
      const before = reads;
      await clock.advance(ms);
      await eventually(() => expect(reads).toBeGreaterThan(before));
    };
    await eventually(() => expect(feed.reading).toBe('one'));
    await after(15 * minute);
    expect(changes).toBe(1);
    answer = new TypedError('Permanent', 'away');
    await after(15 * minute);
    expect(feed.reading).toBe('one');
    for (let passed = 0; passed < 61; passed++) await after(minute);
    await eventually(() => expect(feed.reading).toMatchObject({ reason: 'NotReadable', message: 'away' }));
    answer = 'two';
    await after(minute);
    await eventually(() => expect(feed.reading).toBe('two'));
    expect(changes).toBe(3);
    abort.abort();
    await ended;
  });
});
