import ical from 'ical.js';
import { dayMs, dayNumberOf } from '../schedule/civil.js';
import type { ZoneOf } from './time.js';

/** The last second that texts of the library can express. Exports write it as the end of a rule that has no end. */
const lastSecond = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * Rewrites ends of rules that are dates, although the event has a time, as the end of that day: the library would end such
 * rules at its midnight, before the repetition of the day.
 */
export function includeLastDay({ component, startDate }: ical.Event): void {
  if (startDate.isDate) return;
  for (const property of component.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof ical.Recur) || rule.until?.isDate !== true) continue;
    const { year, month, day } = rule.until;
    const end = { year, month, day, hour: 23, minute: 59, second: 59 };
    rule.until = new ical.Time(end, startDate.zone);
  }
}

/**
 * Rewrites the ends of rules that are in UTC (RFC 5545, section 3.3.10) on the clock of the event, if only the platform
 * knows its zone: the library would compare them with the local times of the repetitions.
 */
export function setLocalEnds({ component, startDate }: ical.Event, zones: ZoneOf): void {
  if (startDate.isDate || startDate.zone !== ical.Timezone.localTimezone) return;
  const tzid: unknown = component.getFirstProperty('dtstart')?.getParameter('tzid');
  const zone = zones(typeof tzid === 'string' ? tzid : undefined);
  if (zone === undefined) return;
  for (const property of component.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof ical.Recur) || rule.until?.zone !== ical.Timezone.utcTimezone) continue;
    const { year, month, day, hour, minute, second } = rule.until;
    const end = dayNumberOf(year, month, day) * dayMs + ((hour * 60 + minute) * 60 + second) * 1000;
    const { offset } = zone.segment(end, end, end);
    const local = new Date(Math.min(end + offset, lastSecond));
    rule.until = ical.Time.fromDateTimeString(local.toISOString().slice(0, 19));
  }
}
