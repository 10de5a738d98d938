import { civilOf, dayNumberOf } from './civil.js';
import { instantOf, type Zone } from './zone.js';

const wallTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Returns the instant of a time in RFC 3339, or of a time without offset on the clock of the zone: the first instant of
 * a repeated time, and the end of the gap for a skipped time.
 *
 * @throws Error describing the problem
 */
export function parseWallTime(text: string, zone: Zone): number {
  const match = wallTime.exec(text);
  if (match === null) throw new Error('is not a time; write 2026-12-24T18:00, or 2026-12-24T18:00:00Z');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits = '0') => Number(digits));
  const dayNumber = dayNumberOf(year, month, day);
  const real = civilOf(dayNumber);
  if (real.month !== month || real.day !== day || hour > 23 || minute > 59 || second > 59)
    throw new Error('is not an existing date and time; check the day of the month and the time of day');
  const local = dayNumber * 86_400_000 + (hour * 60 + minute) * 60_000 + second * 1000;
  return match[7] === undefined ? instantOf(zone, local) : local - offsetMs(match[7]);
}

function offsetMs(text: string): number {
  if (text === 'Z') return 0;
  const [hours = 0, minutes = 0] = text.slice(1).split(':').map(Number);
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
