import type ical from 'ical.js';

const timed = ['dtstart', 'dtend', 'recurrence-id', 'exdate', 'rdate'];
const dateTime = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)Z?)?$/;

/**
 * Checks that the dates of an event exist, because the library reads a thirteenth month as the first month of the next
 * year.
 *
 * @throws Error naming the property whose date or time does not exist
 */
export function checkDates(component: ical.Component): void {
  for (const name of timed)
    for (const property of component.getAllProperties(name))
      for (const value of property.jCal.slice(3) as unknown[])
        if (typeof value === 'string' && !exists(value))
          throw new Error(`its ${name.toUpperCase()} is a date or time that does not exist`);
}

function exists(text: string): boolean {
  const match = dateTime.exec(text);
  if (match === null) return true;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDate && (Number.isNaN(hour) || (hour <= 23 && minute <= 59 && second <= 60));
}
