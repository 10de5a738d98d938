import { expect, test } from '@jest/globals';
import { zoneOf } from '../schedule/zone.js';
import { readEvents } from './events.js';

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]) =>
  ['BEGIN:VEVENT', 'UID:1', 'SUMMARY:Freeze', ...lines, 'END:VEVENT'].join('\r\n');
const iso = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z');

function occurrences(text: string, from = '2026-01-01', to = '2027-01-01', zone = 'Europe/Berlin'): string[] {
  const events = readEvents(text, zoneOf(zone), Date.parse(from), Date.parse(to));
  expect(events.knownUntil).toBe(Date.parse(to));
  return events.occurrences.map(({ from: begin, to: end }) => `${iso(begin)}/${iso(end)}`);
}

const newYork = [
  'BEGIN:VTIMEZONE',
  'TZID:Custom/Eastern',
  'BEGIN:STANDARD',
  'DTSTART:20071104T020000',
  'RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11',
  'TZOFFSETFROM:-0400',
  'TZOFFSETTO:-0500',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:20070311T020000',
  'RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3',
  'TZOFFSETFROM:-0500',
  'TZOFFSETTO:-0400',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
].join('\r\n');

test.each([
  [
    'UTC',
    [event('DTSTART:20261120T000000Z', 'DTEND:20261201T000000Z')],
    ['2026-11-20T00:00Z/2026-12-01T00:00Z'],
  ],
  [
    'an all-day event lasts for the days of the zone of the keeper',
    [event('DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227')],
    ['2026-12-23T23:00Z/2026-12-26T23:00Z'],
  ],
  [
    'a date without an end is one day',
    [event('DTSTART;VALUE=DATE:20261003')],
    ['2026-10-02T22:00Z/2026-10-03T22:00Z'],
  ],
  [
    'a time without a zone is in the zone of the keeper',
    [event('DTSTART:20260701T120000', 'DURATION:PT2H')],
    ['2026-07-01T10:00Z/2026-07-01T12:00Z'],
  ],
  [
    'a time can name a zone of the database',
    [event('DTSTART;TZID=America/New_York:20260701T120000', 'DTEND;TZID=Europe/London:20260701T180000')],
    ['2026-07-01T16:00Z/2026-07-01T17:00Z'],
  ],
  [
    'a time can name a zone that the calendar describes',
    [
      newYork,
      event('DTSTART;TZID=Custom/Eastern:20260701T120000', 'DURATION:PT1H'),
      event('UID:2', 'DTSTART;TZID=Custom/Eastern:20261201T120000', 'DURATION:PT1H'),
    ],
    ['2026-07-01T16:00Z/2026-07-01T17:00Z', '2026-12-01T17:00Z/2026-12-01T18:00Z'],
  ],
  [
    'a yearly event repeats from any year on',
    [event('DTSTART;VALUE=DATE:19991224', 'DTEND;VALUE=DATE:19991227', 'RRULE:FREQ=YEARLY')],
    ['2026-12-23T23:00Z/2026-12-26T23:00Z'],
  ],
  [
    'an event repeats on the last Friday of each month except May',
    [
      event(
        'DTSTART;TZID=Europe/Berlin:20260130T160000',
        'DTEND;TZID=Europe/Berlin:20260130T180000',
        'RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20260731T000000Z',
        'EXDATE;TZID=Europe/Berlin:20260529T160000',
      ),
    ],
    ['01-30T15:00Z/2026-01-30T17', '02-27T15:00Z/2026-02-27T17', '03-27T15:00Z/2026-03-27T17']
      .concat(['04-24T14:00Z/2026-04-24T16', '06-26T14:00Z/2026-06-26T16'])
      .map((text) => `2026-${text}:00Z`),
  ],
  [
    'one repetition is excluded in UTC, and another has its own time',
    [
      event(
        'DTSTART;TZID=Europe/Berlin:20260105T100000',
        'DURATION:PT1H',
        'RRULE:FREQ=WEEKLY;COUNT=3',
        'EXDATE:20260119T090000Z',
      ),
      event(
        'RECURRENCE-ID;TZID=Europe/Berlin:20260112T100000',
        'DTSTART;TZID=Europe/Berlin:20260113T120000',
        'DURATION:PT30M',
      ),
    ],
    ['2026-01-13T11:00Z/2026-01-13T11:30Z', '2026-01-05T09:00Z/2026-01-05T10:00Z'],
  ],
  [
    'a repetition keeps its elapsed time in the night of a skipped hour',
    [
      event(
        'DTSTART;TZID=Europe/Berlin:20260328T220000',
        'DTEND;TZID=Europe/Berlin:20260329T070000',
        'RRULE:FREQ=DAILY;COUNT=2',
      ),
    ],
    ['2026-03-28T21:00Z/2026-03-29T05:00Z', '2026-03-29T20:00Z/2026-03-30T04:00Z'],
  ],
  [
    'a cancelled event does not count',
    [event('DTSTART:20261120T000000Z', 'DTEND:20261201T000000Z', 'STATUS:CANCELLED')],
    [],
  ],
  [
    'an event that is cancelled in another case does not count',
    [event('DTSTART:20261120T000000Z', 'DTEND:20261201T000000Z', 'STATUS:Cancelled')],
    [],
  ],
  [
    'an event repeats on the thirtieth of the months that have one',
    [event('DTSTART:20260130T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYMONTH=1,2,3;BYMONTHDAY=30')],
    ['2026-01-30T10:00Z/2026-01-30T11:00Z', '2026-03-30T10:00Z/2026-03-30T11:00Z'],
  ],
  [
    'an event repeats on one day of each month of the year',
    [event('DTSTART:20260131T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYMONTHDAY=-1;COUNT=4')],
    ['01-31', '02-28', '03-31', '04-30'].map((day) => `2026-${day}T10:00Z/2026-${day}T11:00Z`),
  ],
])('%s', (_name, lines, expected) => {
  expect(occurrences(calendar(...lines))).toEqual(expected);
});

test('repeats an event of February 29 only in leap years', () => {
  const leap = calendar(event('DTSTART:20240229T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY'));
  expect(occurrences(leap, '2024-01-01', '2034-01-01')).toEqual([
    '2024-02-29T10:00Z/2024-02-29T11:00Z',
    '2028-02-29T10:00Z/2028-02-29T11:00Z',
    '2032-02-29T10:00Z/2032-02-29T11:00Z',
  ]);
});

test.each([
  [calendar(), 'it has no events'],
  [calendar(event('DTSTART:20261301T100000Z')), 'its DTSTART is a date or time that does not exist'],
  [calendar(event('DTSTART;VALUE=DATE:20260230')), 'its DTSTART is a date or time that does not exist'],
  [calendar(event('DTSTART:20260101T250000Z')), 'its DTSTART is a date or time that does not exist'],
  [calendar(event('DTSTART:20260101T100000Z', 'DTEND:20250101T100000Z')), 'its DTEND is before its DTSTART'],
  [
    calendar(event('DTSTART;VALUE=DATE:20260103', 'DTEND;VALUE=DATE:20260101')),
    'its DTEND is before its DTSTART',
  ],
  ['<html>', 'it is not iCalendar text'],
  ['', 'it has no BEGIN:VCALENDAR'],
  ['BEGIN:VCARD\r\nVERSION:4.0\r\nFN:x\r\nEND:VCARD\r\n', 'it has no BEGIN:VCALENDAR'],
  [
    calendar(event('DTSTART;TZID=Mars/Olympus:20260101T000000', 'DURATION:PT1H')),
    '"Mars/Olympus" is neither described',
  ],
  [calendar(event('DTSTART:20260101T000000Z', 'RRULE:FREQ=MINUTELY')), 'repeats every minute or second'],
  [
    calendar(newYork.replace('FREQ=YEARLY', 'FREQ=HOURLY'), event('DTSTART:20260101T000000Z')),
    'changes more often than daily',
  ],
  [
    calendar(...Array.from({ length: 5001 }, () => event('DTSTART:20260101T000000Z'))),
    'more than 5000 events',
  ],
])('describes the problem with a calendar: %#', (text, message) => {
  expect(() => readEvents(text, zoneOf('UTC'), 0, Date.parse('2036-01-01'))).toThrow(message);
});

test('relates thousands of exceptions to their events', () => {
  const series = Array.from({ length: 2_400 }, (_, index) => [
    event(`UID:s${index}`, 'DTSTART:20260105T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=1'),
    event(`UID:s${index}`, 'RECURRENCE-ID:20260105T100000Z', 'DTSTART:20260106T100000Z', 'DURATION:PT1H'),
  ]).flat();
  const found = occurrences(calendar(...series).replaceAll('UID:1\r\n', ''));
  expect(found).toHaveLength(2_400);
  expect(new Set(found)).toEqual(new Set(['2026-01-06T10:00Z/2026-01-06T11:00Z']));
});

test('expands an event that repeats too often, but only for a limited time', () => {
  const hourly = calendar(event('DTSTART:20260101T000000Z', 'DURATION:PT1M', 'RRULE:FREQ=HOURLY'));
  const { knownUntil, occurrences: found } = readEvents(
    hourly,
    zoneOf('UTC'),
    Date.parse('2026-01-01'),
    Date.parse('2036-01-01'),
  );
  expect(knownUntil).toBeLessThan(Date.parse('2036-01-01'));
  expect(found.at(-1)?.from).toBeLessThan(knownUntil);
  expect(found).toHaveLength(10_000);
});

test('does not expand an event beyond the time up to which it can be known', () => {
  const utc = zoneOf('UTC');
  let reads = 0;
  const counting: typeof utc = {
    name: 'UTC',
    segment: (...args) => {
      reads += 1;
      return utc.segment(...args);
    },
  };
  const hourly = calendar(event('DTSTART:20260101T000000', 'DURATION:PT1M', 'RRULE:FREQ=HOURLY'));
  const known = readEvents(hourly, counting, Date.parse('2026-01-01'), Date.parse('2036-01-01'));
  expect(known.occurrences).toHaveLength(10_000);
  expect(reads).toBeLessThan(50_000);
});

test('knows several events that repeat every day equally far', () => {
  const daily = (hour: string) =>
    event(`UID:${hour}`, `DTSTART:20230101T${hour}0000Z`, 'DURATION:PT1H', 'RRULE:FREQ=DAILY');
  const { knownUntil, occurrences: found } = readEvents(
    calendar(...['01', '03', '05'].map(daily)).replaceAll('UID:1\r\n', ''),
    zoneOf('UTC'),
    Date.parse('2024-01-01'),
    Date.parse('2037-01-02'),
  );
  expect(found).toHaveLength(10_000);
  expect(knownUntil).toBe(Date.parse('2033-02-15T03:00:00Z'));
});

test('a calendar may begin with a byte order mark', () => {
  const text = calendar(event('DTSTART:20261120T000000Z', 'DTEND:20261201T000000Z'));
  expect(occurrences(`\uFEFF${text}`)).toEqual(occurrences(text));
});
