const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT'].join('\r\n');
const zone = (rule: string) =>
  [
    'BEGIN:VTIMEZONE',
    'TZID:Custom/Zone',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    rule,
    'TZOFFSETFROM:+0000',
    'TZOFFSETTO:+0100',
    'END:STANDARD',
    'END:VTIMEZONE',
  ].join('\r\n');
const inZone = event('DTSTART;TZID=Custom/Zone:20260701T120000', 'DURATION:PT1H');
const daily = 'DTSTART:20200101T000000Z';

/** Calendars that never end, or that take more time than their size suggests, each with a description. */
export const hostileCalendars: readonly (readonly [string, string])[] = [
  [
    'a day of February that does not exist',
    calendar(event(daily, 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')),
  ],
  ['a day of June that does not exist', calendar(event(daily, 'RRULE:FREQ=DAILY;BYMONTH=6;BYMONTHDAY=31'))],
  [
    'an hour of a day that does not exist',
    calendar(event(daily, 'RRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30')),
  ],
  [
    'a weekday that does not exist as that day of the year',
    calendar(event(daily, 'RRULE:FREQ=DAILY;BYMONTH=2;BYYEARDAY=300')),
  ],
  ['a zone that changes every minute', calendar(zone('RRULE:FREQ=MINUTELY'), inZone)],
  ['a zone that changes every second', calendar(zone('RRULE:FREQ=SECONDLY'), inZone)],
  ['a zone that never changes', calendar(zone('RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'), inZone)],
  [
    'many rules at once',
    calendar(
      ...Array.from({ length: 4_000 }, (_, index) =>
        event(`UID:${index}`, daily, `RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;INTERVAL=${index + 1}`),
      ),
    ),
  ],
];
