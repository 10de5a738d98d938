import { dayMs } from '../schedule/civil.js';
import { zoneOf } from '../schedule/zone.js';
import { readEvents, type CalendarEvents } from './events.js';

const yearsBack = 2;
const yearsAhead = 11;

/**
 * Returns the events of a calendar for some years around a year.
 *
 * @param text iCalendar (RFC 5545).
 * @param timeZone of events that name none.
 * @throws Error with what is wrong. Some texts make it run for ever: see `CalendarReader`.
 */
export function readCalendar(text: string, timeZone: string, year: number): CalendarEvents {
  const from = Date.UTC(year - yearsBack, 0);
  return readEvents(text, zoneOf(timeZone), from, Date.UTC(year + yearsAhead, 0) + dayMs);
}
