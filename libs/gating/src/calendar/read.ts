import { dayMs } from '../schedule/civil.js';
import { zoneOf } from '../schedule/zone.js';
import { readEvents, type CalendarEvents } from './events.js';

const yearsBack = 2;
const yearsAhead = 11;

/**
 * Returns the events of a calendar for some years around a year.
 *
 * @param text iCalendar text (RFC 5545)
 * @param timeZone zone of events that do not name one
 * @throws Error describing the problem with the text. Some texts make the function run forever: see `CalendarReader`.
 */
export function readCalendar(text: string, timeZone: string, year: number): CalendarEvents {
  const from = Date.UTC(year - yearsBack, 0);
  return readEvents(text, zoneOf(timeZone), from, Date.UTC(year + yearsAhead, 0) + dayMs);
}
