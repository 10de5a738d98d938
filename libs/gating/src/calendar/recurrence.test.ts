import { expect, test } from '@jest/globals';
import { zoneOf } from '../schedule/zone.js';
import { readEvents } from './events.js';

/** Returns the times of events in 2026, whose lines are given without BEGIN, END and UID. */
function times(events: readonly string[][], zone = 'UTC'): string[] {
  const text = [
    'BEGIN:VCALENDAR',
    ...events.flatMap((lines) => ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
  ].join('\r\n');
  const { occurrences } = readEvents(text, zoneOf(zone), Date.UTC(2026, 0), Date.UTC(2027, 0));
  return occurrences
    .map(({ from, to }) => [from, to].map((time) => new Date(time).toISOString().slice(5, 16)).join('/'))
    .sort();
}

test.each([
  ['named by the event', 'DTSTART;TZID=Asia/Tokyo:20261208T080000', 'UTC'],
  ['of the keeper', 'DTSTART:20261208T080000', 'Asia/Tokyo'],
])('includes the last repetition of a rule whose end is in UTC, in the zone %s', (_, start, zone) => {
  const rule = 'RRULE:FREQ=DAILY;UNTIL=20261209T230000Z';

  expect(times([[start, 'DURATION:PT9H', rule]], zone)).toEqual([
    '12-07T23:00/12-08T08:00',
    '12-08T23:00/12-09T08:00',
    '12-09T23:00/12-10T08:00',
  ]);
});

test('repeats a rule whose end in UTC is in the year 10000 on the clock of the event', () => {
  const rule = 'RRULE:FREQ=YEARLY;UNTIL=99991231T235959Z';

  expect(times([['DTSTART;TZID=Asia/Tokyo:20251208T080000', 'DURATION:PT1H', rule]])).toEqual([
    '12-07T23:00/12-08T00:00',
  ]);
});

test('omits the repetitions after the end of a rule in UTC', () => {
  const rule = 'RRULE:FREQ=HOURLY;UNTIL=20261202T020000Z';

  expect(times([['DTSTART;TZID=America/New_York:20261201T200000', 'DURATION:PT1H', rule]])).toEqual([
    '12-02T01:00/12-02T02:00',
    '12-02T02:00/12-02T03:00',
  ]);
});

test.each([
  ['in UTC', 'RDATE:20261215T120000Z', '12-15T12:00/12-15T13:00'],
  ['in another zone', 'RDATE;TZID=America/New_York:20261215T120000', '12-15T17:00/12-15T18:00'],
  ['with its own length', 'RDATE;VALUE=PERIOD:20261215T120000Z/PT5H', '12-15T12:00/12-15T17:00'],
  ['with its own end', 'RDATE;VALUE=PERIOD:20261215T120000Z/20261215T133000Z', '12-15T12:00/12-15T13:30'],
])('adds a further date %s to the first one', (_, further, expected) => {
  const first = 'DTSTART;TZID=Asia/Tokyo:20261207T090000';

  expect(times([[first, 'DURATION:PT1H', further]])).toEqual(['12-07T00:00/12-07T01:00', expected]);
});

test('adds further dates to the repetitions of a rule, without the excluded ones', () => {
  const lines = [
    'DTSTART:20260601T100000Z',
    'DTEND:20260601T110000Z',
    'RRULE:FREQ=DAILY;COUNT=2',
    'RDATE:20260701T100000Z,20260801T100000Z',
    'EXDATE:20260701T100000Z',
  ];

  expect(times([lines])).toEqual([
    '06-01T10:00/06-01T11:00',
    '06-02T10:00/06-02T11:00',
    '08-01T10:00/08-01T11:00',
  ]);
});

test('excludes a further date by its day', () => {
  const further = ['RDATE:20260701T100000Z,20260801T100000Z', 'EXDATE;VALUE=DATE:20260701'];

  expect(times([['DTSTART:20260601T100000Z', 'DURATION:PT1H', ...further]])).toEqual([
    '06-01T10:00/06-01T11:00',
    '08-01T10:00/08-01T11:00',
  ]);
});

const moved = ['DTSTART;TZID=Asia/Tokyo:20261220T090000', 'DURATION:PT2H'];

test.each([
  ['in UTC', 'RECURRENCE-ID:20261208T000000Z'],
  ['in another zone', 'RECURRENCE-ID;TZID=America/New_York:20261207T190000'],
])('moves the repetition that is named %s', (_, replaced) => {
  const daily = ['DTSTART;TZID=Asia/Tokyo:20261207T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'];

  expect(times([daily, [replaced, ...moved]])).toEqual([
    '12-07T00:00/12-07T01:00',
    '12-09T00:00/12-09T01:00',
    '12-20T00:00/12-20T02:00',
  ]);
});

test('includes a repetition that was moved from the time after the period', () => {
  const yearly = ['DTSTART:20260601T000000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY'];

  expect(times([yearly, ['RECURRENCE-ID:20270601T000000Z', ...moved]])).toEqual([
    '06-01T00:00/06-01T01:00',
    '12-20T00:00/12-20T02:00',
  ]);
});

test('moves the only date of an event without a rule', () => {
  const single = ['DTSTART:20260601T000000Z', 'DURATION:PT1H'];

  expect(times([single, ['RECURRENCE-ID:20260601T000000Z', ...moved]])).toEqual(['12-20T00:00/12-20T02:00']);
});

test('excludes no repetition at the same local time as an EXDATE in another zone', () => {
  const lines = [
    'DTSTART;TZID=Asia/Tokyo:20261207T090000',
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY;COUNT=2',
    'EXDATE;TZID=America/New_York:20261208T090000',
  ];

  expect(times([lines])).toEqual(['12-07T00:00/12-07T01:00', '12-08T00:00/12-08T01:00']);
});

test.each([
  ['in UTC', 'DTSTART:20261207T230000Z', '12-07T23:00/12-08T00:00', '12-08T23:00/12-09T00:00'],
  [
    'in a zone',
    'DTSTART;TZID=America/New_York:20261207T230000',
    '12-08T04:00/12-08T05:00',
    '12-09T04:00/12-09T05:00',
  ],
])('includes the day of the end of a rule that has no time, %s', (_, start, ...expected) => {
  const lines = [start, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20261208'];

  expect(times([lines])).toEqual(expected);
});

test('refuses a changed repetition at a date that does not exist', () => {
  const daily = ['DTSTART:20260607T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'];
  const changed = ['RECURRENCE-ID:20260608T090000Z', 'DTSTART:20261308T090000Z', 'DURATION:PT1H'];

  expect(() => times([daily, changed])).toThrow('its DTSTART is a date or time that does not exist');
});

test('counts no repetition in the years that do not have its day', () => {
  const lines = ['DTSTART:20160229T000000Z', 'DURATION:P300D', 'RRULE:FREQ=YEARLY;COUNT=3'];
  const text = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT', 'END:VCALENDAR'];
  const { occurrences } = readEvents(text.join('\r\n'), zoneOf('UTC'), Date.UTC(2016, 0), Date.UTC(2030, 0));

  expect(occurrences.map(({ from }) => new Date(from).getUTCFullYear())).toEqual([2016, 2020, 2024]);
});

test('counts each repetition of a monthly rule once', () => {
  const lines = [
    'DTSTART:20251112T000000Z',
    'DURATION:P1D',
    'RRULE:FREQ=MONTHLY;BYMONTH=4,11;BYDAY=WE;COUNT=5',
  ];

  expect(times([lines])).toEqual(['04-01T00:00/04-02T00:00', '04-08T00:00/04-09T00:00']);
});

test('repeats at the times and in the months that a rule lists in any order', () => {
  const daily = ['DTSTART:20261208T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;BYHOUR=17,9;COUNT=3'];
  const monthly = ['DTSTART:20260406T000000Z', 'DURATION:P1D', 'RRULE:FREQ=MONTHLY;BYMONTH=8,4;BYDAY=1MO'];

  expect(times([daily])).toEqual([
    '12-08T09:00/12-08T10:00',
    '12-08T17:00/12-08T18:00',
    '12-09T09:00/12-09T10:00',
  ]);
  expect(times([monthly])).toEqual(['04-06T00:00/04-07T00:00', '08-03T00:00/08-04T00:00']);
});

test('counts no month that a monthly rule does not include', () => {
  const lines = ['DTSTART:20240915T000000Z', 'DURATION:P1D', 'RRULE:FREQ=MONTHLY;BYMONTH=2,9;COUNT=5'];

  expect(times([lines])).toEqual(['02-15T00:00/02-16T00:00', '09-15T00:00/09-16T00:00']);
});

test.each([
  ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=TH', 'in numbered weeks'],
  ['FREQ=MONTHLY;INTERVAL=2;BYMONTH=1,4', 'every 2 months'],
  ['FREQ=MONTHLY;INTERVAL=5;BYDAY=5TU,1MO', 'write one event for each day'],
  ['FREQ=HOURLY;INTERVAL=3;BYHOUR=9,12', 'write FREQ=DAILY with the hours as BYHOUR'],
  ['FREQ=YEARLY;BYDAY=20MO', 'beyond the ninth'],
  ['FREQ=YEARLY;BYHOUR=9,17', 'several times of a day'],
  ['FREQ=MONTHLY;BYDAY=MO,TH;BYSETPOS=2;BYMINUTE=0,30', 'several times of a day'],
  ['FREQ=YEARLY;INTERVAL=2;BYMONTHDAY=1,29', 'every 2 years'],
  ['FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYMONTHDAY=-1', 'every 2 years'],
  ['FREQ=DAILY;BYMONTHDAY=1,-1', 'from the end of the month; write FREQ=MONTHLY'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1,1;BYDAY=TH', 'certain days of the week'],
  ['FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYDAY=1TH', 'certain days of the week'],
  ['FREQ=WEEKLY;BYDAY=TH,FR;BYSETPOS=1', 'positions (BYSETPOS)'],
  ['FREQ=YEARLY;BYDAY=TH;BYSETPOS=1', 'positions (BYSETPOS)'],
  ['FREQ=YEARLY;BYMONTH=1,7;BYDAY=TH;BYSETPOS=1', 'positions (BYSETPOS)'],
  ['FREQ=MONTHLY;BYMONTHDAY=1,2;BYSETPOS=1', 'positions (BYSETPOS)'],
  ['FREQ=DAILY;COUNT=2\r\nRRULE:FREQ=WEEKLY;COUNT=3', 'several rules'],
  ['FREQ=DAILY;COUNT=2\r\nEXRULE:FREQ=WEEKLY', '(EXRULE); write them as EXDATE'],
  ['RSCALE=CHINESE;FREQ=YEARLY', '(RSCALE)'],
])('refuses the rule %j, which would be misread', (rule, expected) => {
  expect(() => times([['DTSTART:20260101T090000Z', 'DURATION:PT1H', `RRULE:${rule}`]])).toThrow(expected);
});

test.each([
  'FREQ=YEARLY;BYHOUR=9',
  'FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYMONTHDAY=1',
  'FREQ=YEARLY;BYMONTH=1;BYDAY=TH;BYSETPOS=1',
  'FREQ=MONTHLY;BYMONTH=1;BYDAY=TH;BYSETPOS=1',
])('accepts the rule %s', (rule) => {
  expect(times([['DTSTART:20260101T090000Z', 'DURATION:PT1H', `RRULE:${rule}`]])).toEqual([
    '01-01T09:00/01-01T10:00',
  ]);
});

test.each([
  ['20260310', 'FREQ=MONTHLY;BYMONTH=12;BYMONTHDAY=25', ['12-25']],
  ['20260115', 'FREQ=YEARLY;BYMONTH=4,10;BYMONTHDAY=-1', ['04-30', '10-31']],
  ['20260615', 'FREQ=YEARLY;BYMONTH=4,10;BYMONTHDAY=-1;COUNT=1', ['10-31']],
  ['20260901', 'FREQ=MONTHLY;BYMONTH=2,9,11;BYDAY=5TU,1MO', ['09-07', '09-29', '11-02']],
  ['20261010', 'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1', ['10-31', '11-30', '12-31']],
  ['20261110', 'FREQ=MONTHLY;BYMONTH=12', ['12-10']],
  ['20260303', 'FREQ=MONTHLY;BYMONTH=8;BYDAY=WE,SU;COUNT=3', ['08-02', '08-05', '08-09']],
  ['20260410', 'FREQ=WEEKLY;BYMONTH=6,7;COUNT=1', ['06-05']],
  ['20260401', 'FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=1,30', ['04-01', '04-30']],
])('finds each repetition of an event that starts on %s with the rule %s', (start, rule, days) => {
  const found = times([[`DTSTART:${start}T090000Z`, 'DURATION:PT1H', `RRULE:${rule}`]]);

  expect(found.map((time) => time.slice(0, 5))).toEqual(days);
});
