import ical from 'ical.js';
import { dayMs, dayNumberOf } from '../schedule/civil.js';
import type { ZoneOf } from './time.js';

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
    rule.until = ical.Time.fromDateTimeString(new Date(end + offset).toISOString().slice(0, 19));
  }
}
