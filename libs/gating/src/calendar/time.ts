import ical from 'ical.js';
import { dayMs, dayNumberOf } from '../schedule/civil.js';
import { instantOf, type Zone } from '../schedule/zone.js';

/**
 * Returns the zone of a TZID; without a TZID, the zone of the calendar; undefined for a zone that the platform does not
 * know.
 */
export type ZoneOf = (tzid: string | undefined) => Zone | undefined;

/**
 * Returns the instant of a time, in ms since the epoch.
 *
 * @param property the property that contains the time, or that the time repeats
 * @throws Error for a zone that neither the platform nor the calendar describes
 */
export function instantIn(property: ical.Property | null, time: ical.Time, zones: ZoneOf): number {
  const { year, month, day } = time;
  const clock = time.isDate ? 0 : (time.hour * 60 + time.minute) * 60_000 + time.second * 1000;
  const local = dayNumberOf(year, month, day) * dayMs + clock;
  if (!time.isDate && time.zone === ical.Timezone.utcTimezone) return local;
  const tzid: unknown = time.isDate ? undefined : property?.getParameter('tzid');
  const name = typeof tzid === 'string' ? tzid : undefined;
  const zone = zones(name);
  if (zone !== undefined) return instantOf(zone, local);
  if (time.zone === ical.Timezone.localTimezone)
    throw new Error(`its time zone ${JSON.stringify(name)} is neither described (VTIMEZONE) nor known`);
  return local - time.utcOffset() * 1000;
}
