import { afterAll, describe, expect, it } from '@jest/globals';
import { isProblem } from '@interlock/base';
import { hostileCalendars } from '../testing/hostile-calendars.js';
import { CalendarReader } from './reader.js';

const now = Date.UTC(2026, 10, 22);
const harmless = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'UID:1',
  'SUMMARY:Freeze',
  'DTSTART:20261120T000000Z',
  'DTEND:20261201T000000Z',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');
const freeze = {
  from: Date.UTC(2026, 10, 20),
  to: Date.UTC(2026, 11, 1),
  summary: 'Freeze',
};
const reader = new CalendarReader();
afterAll(() => reader.close());

describe('a calendar reader', () => {
  it('returns the events', async () => {
    expect(await reader.read('team', harmless, 'UTC', now)).toEqual({
      occurrences: [freeze],
      eventCount: 1,
      knownFrom: Date.UTC(2024, 0),
      knownUntil: Date.UTC(2037, 0, 2),
    });
  });

  it('describes the problem with a text', async () => {
    expect(await reader.read('team', '<html>', 'UTC', now)).toMatchObject({
      reason: 'CallFailed',
      message: expect.stringMatching(/^the calendar cannot be used: .*iCalendar/),
      transient: true,
    });
  });

  it.each(hostileCalendars)(
    'ends with an error for %s, and reads other calendars in the meantime',
    async (_name, text) => {
      let hasEnded = false;
      const hostile = reader.read('hostile', text, 'UTC', now).finally(() => (hasEnded = true));
      do {
        const other = await reader.read('team', harmless, 'UTC', now);
        expect(other).toMatchObject({ occurrences: [freeze] });
      } while (!hasEnded);
      expect(isProblem(await hostile)).toBe(true);
    },
  );

  it('refuses a calendar that has too many characters', async () => {
    const text = `${harmless}\r\n${'X-NOTE:x\r\n'.repeat(200_000)}`;
    expect(await reader.read('team', text, 'UTC', now)).toMatchObject({
      reason: 'LimitExceeded',
      message: expect.stringContaining('it has more than 1048576 characters'),
      transient: false,
    });
  });

  it('copies no more of a summary than messages quote', async () => {
    const text = harmless
      .replace('SUMMARY:Freeze', `SUMMARY:${'🚂'.repeat(100_000)}`)
      .replace('DTEND:20261201T000000Z', 'DURATION:PT1H\r\nRRULE:FREQ=DAILY');
    /* The time limit is not under test; a busy machine may need more time. */
    const patient = new CalendarReader({ timeMs: 30_000 });
    const read = await patient.read('team', text, 'UTC', now).finally(() => patient.close());
    const summaries = isProblem(read) ? [] : read.occurrences.map(({ summary }) => summary);
    expect(summaries.length).toBeGreaterThan(3_000);
    expect(new Set(summaries)).toEqual(new Set(['🚂'.repeat(200)]));
  });
});
