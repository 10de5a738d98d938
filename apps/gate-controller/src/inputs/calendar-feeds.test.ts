import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { eventually } from '@interlock/kube/testing';
import { CalendarFeeds } from './calendar-feeds.js';

const url = (index: number): string => `https://calendars.example.com/a.ics?x=${index}`;
let feeds: CalendarFeeds;
let fetched: string[];
let changed: string[];
let stop: AbortController;
let ended: Promise<void>;

beforeEach(() => {
  fetched = [];
  changed = [];
  const fetchCalendar = (read: string): Promise<string> => {
    fetched.push(read);
    return Promise.resolve(`text of ${read}`);
  };
  feeds = new CalendarFeeds({ clock: new FakeClock(), fetchCalendar }, (keepers) => changed.push(...keepers));
  stop = new AbortController();
  ended = feeds.run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await ended;
});

describe('the calendars of a namespace', () => {
  it('are read from at most 20 URLs, and a keeper beyond them when there is room', async () => {
    for (let index = 0; index < 21; index++) feeds.follow(`team/${index}`, url(index));
    feeds.follow('team/shared', url(0));
    feeds.follow('other/a', url(20));
    await eventually(() => expect(feeds.readingOf('other/a')).toBe(`text of ${url(20)}`));
    expect(fetched).toHaveLength(21);
    expect(feeds.readingOf('team/shared')).toBe(`text of ${url(0)}`);
    expect(feeds.readingOf('team/20')).toMatchObject({
      message: expect.stringContaining('more than 20 URLs'),
      transient: false,
    });
    feeds.follow('team/0', undefined);
    expect(feeds.readingOf('team/20')).toMatchObject({ reason: 'LimitExceeded' });
    changed = [];
    feeds.follow('team/shared', url(1));
    expect(feeds.readingOf('team/20')).toBe(`text of ${url(20)}`);
    expect(changed).toEqual(['team/20']);
  });

  it('keep their place when their keeper names another URL, for which others may have waited', async () => {
    for (let index = 0; index < 22; index++) feeds.follow(`team/${index}`, url(index));
    feeds.follow('team/0', url(21));
    await eventually(() => expect(feeds.readingOf('team/0')).toBe(`text of ${url(21)}`));
    expect(feeds.readingOf('team/21')).toBe(`text of ${url(21)}`);
    expect(feeds.readingOf('team/20')).toMatchObject({ reason: 'LimitExceeded' });
  });

  it('are dropped with their keepers, also with those that wait', async () => {
    for (let index = 0; index < 22; index++) feeds.follow(`team/${index}`, url(index));
    feeds.follow('team/20', undefined);
    feeds.follow('team/0', undefined);
    expect(feeds.readingOf('team/20')).toBeUndefined();
    await eventually(() => expect(feeds.readingOf('team/21')).toBe(`text of ${url(21)}`));
    expect(feeds.readingOf('team/0')).toBeUndefined();
  });
});
