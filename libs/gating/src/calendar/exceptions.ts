import type ical from 'ical.js';
import { instantIn, type ZoneOf } from './time.js';

/** The repetitions of an event that its EXDATEs exclude. */
interface Excluded {
  /** In ms since the epoch. */
  instants: Set<number>;
  /** Days, as texts, of the EXDATEs without a time. */
  days: ReadonlySet<string>;
}

/**
 * Returns the changed repetitions of an event, each with the instant that it replaces. The library finds them only under
 * the same text, although a RECURRENCE-ID may be in UTC (RFC 5545, section 3.8.4.4).
 */
export function changesOf(
  { exceptions }: ical.Event,
  zones: ZoneOf,
): { item: ical.Event; instant: number }[] {
  return Object.values(exceptions).map((item) => {
    const replaced = item.component.getFirstProperty('recurrence-id');
    return { item, instant: instantIn(replaced, item.recurrenceId, zones) };
  });
}

/**
 * Returns what the EXDATEs of an event exclude, and removes them from the event: the library ignores their zones, and
 * would exclude the repetition at the same local time.
 */
export function takeExcluded({ component }: ical.Event, zones: ZoneOf): Excluded {
  const instants = new Set<number>();
  const days = new Set<string>();
  for (const property of component.getAllProperties('exdate'))
    for (const value of property.getValues() as unknown[]) {
      const time = value as ical.Time;
      instants.add(instantIn(property, time, zones));
      if (time.isDate) days.add(dayOf(time));
    }
  component.removeAllProperties('exdate');
  return { instants, days };
}

/** Returns whether a repetition is excluded, by its instant or by its day. */
export function isExcluded({ instants, days }: Excluded, instant: number, time: ical.Time): boolean {
  return instants.has(instant) || days.has(dayOf(time));
}

function dayOf({ year, month, day }: ical.Time): string {
  return `${year}-${month}-${day}`;
}
