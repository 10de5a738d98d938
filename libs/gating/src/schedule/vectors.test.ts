import { expect, test } from '@jest/globals';
import type { ScheduleWindow } from '@interlock/api';
import { compileSchedule } from './compile.js';

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z');

function closedBetween(
  windows: ScheduleWindow[],
  timeZone: string,
  from: string,
  to: string,
  dayMatch: 'any' | 'all' = 'any',
): string[] {
  const { timeline, problems } = compileSchedule({ timeZone, dayMatch, closed: windows }, 'spec.schedule');
  expect(problems).toEqual([]);
  const found: string[] = [];
  const end = at(to);
  for (let t = at(from); t < end; t = timeline.until(t, end))
    if (timeline.at(t)) found.push(`${iso(t)}/${iso(timeline.until(t, end))}`);
  return found;
}

test.each([
  [
    'Black Friday covers eleven whole days in UTC',
    { cron: '* * 20-30 11 *' },
    'UTC',
    ['2026-01-01T00:00Z', '2027-01-01T00:00Z'],
    ['2026-11-20T00:00Z/2026-12-01T00:00Z'],
  ],
  [
    'Xmas covers whole days in New York',
    { cron: '* * 15-31 12 *' },
    'America/New_York',
    ['2026-06-01T00:00Z', '2027-06-01T00:00Z'],
    ['2026-12-15T05:00Z/2027-01-01T05:00Z'],
  ],
  [
    'a repeated hour matches twice',
    { cron: '* 2 * * *' },
    'Europe/Berlin',
    ['2026-10-24T12:00Z', '2026-10-25T12:00Z'],
    ['2026-10-25T00:00Z/2026-10-25T02:00Z'],
  ],
  [
    'a skipped hour never matches',
    { cron: '* 2 * * *' },
    'Europe/Berlin',
    ['2026-03-28T12:00Z', '2026-03-29T12:00Z'],
    [],
  ],
  [
    'eight elapsed hours span a skipped hour',
    { start: '0 22 * * 6', duration: '8h' },
    'Europe/Berlin',
    ['2026-03-28T00:00Z', '2026-03-30T00:00Z'],
    ['2026-03-28T21:00Z/2026-03-29T05:00Z'],
  ],
  [
    'a start in a skipped hour moves to its end',
    { start: '30 2 * * *', duration: '10m' },
    'Europe/Berlin',
    ['2026-03-29T00:00Z', '2026-03-29T12:00Z'],
    ['2026-03-29T01:00Z/2026-03-29T01:10Z'],
  ],
  [
    'a start in a repeated hour is in the first one',
    { start: '30 2 * * *', duration: '10m' },
    'Europe/Berlin',
    ['2026-10-25T00:00Z', '2026-10-25T12:00Z'],
    ['2026-10-25T00:30Z/2026-10-25T00:40Z'],
  ],
  [
    'half an hour is repeated on Lord Howe',
    { cron: '30-59 1 * * *' },
    'Australia/Lord_Howe',
    ['2026-04-04T12:00Z', '2026-04-05T00:00Z'],
    ['2026-04-04T14:30Z/2026-04-04T15:30Z'],
  ],
  [
    'half an hour is skipped on Lord Howe',
    { cron: '* 2 * * *' },
    'Australia/Lord_Howe',
    ['2026-10-03T12:00Z', '2026-10-04T00:00Z'],
    ['2026-10-03T15:30Z/2026-10-03T16:00Z'],
  ],
  [
    'the leap day occurs in leap years only',
    { cron: '* * 29 2 *' },
    'UTC',
    ['2026-01-01T00:00Z', '2033-01-01T00:00Z'],
    ['2028-02-29T00:00Z/2028-03-01T00:00Z', '2032-02-29T00:00Z/2032-03-01T00:00Z'],
  ],
  [
    'a one-time window is in local time',
    { from: '2026-12-24T18:00', to: '2026-12-27T00:00' },
    'Europe/Berlin',
    ['2026-01-01T00:00Z', '2027-01-01T00:00Z'],
    ['2026-12-24T17:00Z/2026-12-26T23:00Z'],
  ],
  [
    'a one-time window can have offsets',
    { from: '2026-12-24T18:00:00Z', to: '2026-12-27T00:00:00+02:00' },
    'Europe/Berlin',
    ['2026-01-01T00:00Z', '2027-01-01T00:00Z'],
    ['2026-12-24T18:00Z/2026-12-26T22:00Z'],
  ],
  [
    'an end in a skipped hour moves to its end',
    { from: '2026-03-28T12:00', to: '2026-03-29T02:30' },
    'Europe/Berlin',
    ['2026-03-01T00:00Z', '2026-04-01T00:00Z'],
    ['2026-03-28T11:00Z/2026-03-29T01:00Z'],
  ],
])('%s', (_name, window, zone, [from = '', to = ''], expected) => {
  expect(closedBetween([window], zone, from, to)).toEqual(expected);
});

test('matches a day of the month or a day of the week, and requires both if dayMatch is all', () => {
  const week = ['2026-11-09T00:00Z', '2026-11-16T00:00Z'] as const;
  const windows = [{ cron: '* * 13 * 1' }];
  expect(closedBetween(windows, 'UTC', ...week)).toEqual([
    '2026-11-09T00:00Z/2026-11-10T00:00Z',
    '2026-11-13T00:00Z/2026-11-14T00:00Z',
  ]);
  expect(closedBetween(windows, 'UTC', ...week, 'all')).toEqual([]);
  const friday = [{ cron: '* * 13 * 5' }];
  expect(closedBetween(friday, 'UTC', ...week, 'all')).toEqual(['2026-11-13T00:00Z/2026-11-14T00:00Z']);
});

test('leaves no gap between windows that follow one another, except in a repeated hour, in which no window begins', () => {
  const windows = [{ start: '*/5 * * * *', duration: '5m' }];
  expect(closedBetween(windows, 'Europe/Berlin', '2026-01-01T00:00Z', '2027-01-01T00:00Z')).toEqual([
    '2026-01-01T00:00Z/2026-10-25T01:00Z',
    '2026-10-25T02:00Z/2027-01-01T00:00Z',
  ]);
});
