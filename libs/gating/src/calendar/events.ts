import ical from 'ical.js';
import { zoneOf, type Zone } from '../schedule/zone.js';
import { checkDates } from './dates.js';
import { changesOf, isExcluded, takeExcluded } from './exceptions.js';
import { instantIn, type ZoneOf } from './time.js';
import { includeLastDay, setLocalEnds } from './until.js';
import {
  completeRules,
  isMeant,
  refuseMisread,
  searchStart,
  simplifyLastDay,
  sortTimes,
  takeCount,
} from './recurrence-rules.js';

/** One occurrence of an event. Times are in ms since the epoch. */
interface Occurrence {
  from: number;
  to: number;
  summary: string;
}

export interface CalendarEvents {
  occurrences: Occurrence[];
  /** Number of events in the calendar. Each repetition counts once. */
  eventCount: number;
  /** Time from which all occurrences are known. */
  knownFrom: number;
  /** Time up to which all occurrences are known. */
  knownUntil: number;
}

/** Maximum length of a calendar in characters, which is the limit of a ConfigMap. */
export const maxCalendarLength = 1024 * 1024;
const maxEvents = 5_000;
/** Characters of a summary that messages quote. It is short because each occurrence has a copy. */
const maxSummary = 200;
const maxOccurrences = 10_000;
/** Maximum number of repetitions of an event, counted from the first one, which may be decades ago: 130 years of days. */
const maxSteps = 50_000;

/**
 * Reads the events of a calendar (iCalendar, RFC 5545), with recurrences, exceptions and time zones. Cancelled events
 * are omitted.
 *
 * @param zone zone of events that do not name one; all-day events last from midnight to midnight there
 * @param from start of the period whose occurrences are returned; `to` is its end
 * @throws Error describing the problem with the text
 */
export function readEvents(text: string, zone: Zone, from: number, to: number): CalendarEvents {
  checkSize(text);
  const calendars = parse(text);
  const result: CalendarEvents = { occurrences: [], eventCount: 0, knownFrom: from, knownUntil: to };
  for (const calendar of calendars) {
    checkZones(calendar);
    const components = calendar.getAllSubcomponents('vevent');
    result.eventCount += components.length;
    if (result.eventCount > maxEvents) throw new Error(`it has more than ${maxEvents} events`);
    for (const event of eventsOf(components)) {
      if (isCancelled(event)) continue;
      const known = expand(event, zoneFor(zone), from, result.knownUntil, result.occurrences);
      result.knownUntil = Math.min(result.knownUntil, known);
      if (result.occurrences.length > 2 * maxOccurrences) shorten(result);
    }
  }
  if (result.eventCount === 0) throw new Error('it has no events');
  shorten(result);
  return result;
}

/** Ends the known period before the occurrences that are too many, so that each event is known as long as the others. */
function shorten(events: CalendarEvents): void {
  if (events.occurrences.length <= maxOccurrences) return;
  events.occurrences.sort((a, b) => a.from - b.from);
  const end = Math.min(events.knownUntil, events.occurrences[maxOccurrences]?.from ?? Infinity);
  events.occurrences = events.occurrences.filter((occurrence) => occurrence.from < end);
  events.knownUntil = end;
}

function checkSize(text: string): void {
  if (text.length > maxCalendarLength)
    throw new Error(`it has more than ${maxCalendarLength} characters; split it`);
  const events = text.match(/^BEGIN:VEVENT/gim)?.length ?? 0;
  if (events > maxEvents) throw new Error(`it has more than ${maxEvents} events`);
}

/**
 * Refuses time zones that change more often than daily: the library expands the rules of a zone one by one, from its
 * first change to the requested year.
 */
function checkZones(calendar: ical.Component): void {
  for (const zone of calendar.getAllSubcomponents('vtimezone'))
    for (const rule of zone.getAllSubcomponents().flatMap((part) => part.getAllProperties('rrule')))
      if (/FREQ=(SECONDLY|MINUTELY|HOURLY)/i.test(rule.toICALString()))
        throw new Error('a time zone (VTIMEZONE) that it describes changes more often than daily');
}

function parse(text: string): ical.Component[] {
  let parsed: unknown;
  try {
    /* Servers and editors of Windows write a byte order mark, which the parser takes for a part of the first line. */
    parsed = ical.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    /* The parser's own message quotes the line, and the text may not be a calendar at all. */
    throw new Error('it is not iCalendar text', { cause: error });
  }
  if (!Array.isArray(parsed)) throw new Error('it is not iCalendar text');
  const several = Array.isArray(parsed[0]) ? (parsed as unknown[][]) : [parsed as unknown[]];
  const calendars = several.map((one) => new ical.Component(one as [string, unknown[], unknown[]]));
  if (calendars.some(({ name }) => name !== 'vcalendar')) throw new Error('it has no BEGIN:VCALENDAR');
  return calendars;
}

/** Returns the events, with changed repetitions as a part of the event with the same UID. */
function eventsOf(components: readonly ical.Component[]): ical.Event[] {
  const events = components.map(
    (component) => new ical.Event(component, { strictExceptions: false, exceptions: [] }),
  );
  const masters = events.filter((event) => !event.isRecurrenceException());
  /* If several events have the same UID, the first one counts. */
  const byUid = new Map([...masters].reverse().map((event) => [event.uid, event]));
  const alone: ical.Event[] = [];
  for (const exception of events.filter((event) => event.isRecurrenceException())) {
    const master = byUid.get(exception.uid);
    if (master === undefined) alone.push(exception);
    else master.relateException(exception);
  }
  return [...masters, ...alone];
}

/** Returns a function that finds zones. A zone of the platform's database takes precedence over the description in the calendar. */
function zoneFor(fallback: Zone): ZoneOf {
  return (tzid) => {
    if (tzid === undefined) return fallback;
    try {
      return zoneOf(tzid);
    } catch {
      return undefined;
    }
  };
}

function expand(event: ical.Event, zones: ZoneOf, from: number, to: number, into: Occurrence[]): number {
  let steps = maxSteps;
  const add = (item: ical.Event, start: ical.Time | ical.Period, property = startOf(item)) => {
    const occurrence = occurrenceOf(item, start, property, zones);
    if (occurrence.to > from && occurrence.from < to) into.push(occurrence);
  };
  const summary = JSON.stringify(summaryOf(event));
  try {
    checkDates(event.component);
    let left = prepareRules(event, zones);
    const excluded = takeExcluded(event, zones);
    const changed = changesOf(event, zones).filter(({ instant }) => !excluded.instants.has(instant));
    for (const { item, instant } of changed) {
      checkDates(item.component);
      excluded.instants.add(instant);
      if (!isCancelled(item)) add(item, item.startDate);
    }
    const begin = startOf(event);
    const hasRule = event.component.hasProperty('rrule');
    for (const [start, property] of datesOf(event, hasRule)) {
      if (property !== begin && (steps -= 1) < 0) throw new Error(`it has more than ${maxSteps} dates`);
      const time = start instanceof ical.Period ? start.start : start;
      if (!isExcluded(excluded, instantIn(property, time, zones), time)) add(event, start, property);
    }
    if (!hasRule) return to;
    event.component.removeAllProperties('rdate');
    const iterator = event.iterator(searchStart(event));
    const hasExceptions = Object.keys(event.exceptions).length > 0;
    const before = into.length;
    let last = -Infinity;
    for (let start = iterator.next(); start; start = iterator.next()) {
      const instant = instantIn(begin, start, zones);
      if (instant >= to) return to;
      if (into.length - before > maxOccurrences) return instant;
      if ((steps -= 1) < 0) {
        if (instant > from) return instant;
        throw new Error(`it repeats more than ${maxSteps} times`);
      }
      /* The library returns the repetitions of some months twice. */
      if (start.compare(event.startDate) < 0 || instant <= last) continue;
      if (!isMeant(event.component, event.startDate, start)) continue;
      last = instant;
      if ((left -= 1) < 0) return to;
      if (isExcluded(excluded, instant, start)) continue;
      const { item, startDate } = hasExceptions
        ? event.getOccurrenceDetails(start)
        : { item: event, startDate: start };
      if (!isCancelled(item)) add(item, startDate);
    }
    return to;
  } catch (error) {
    throw new Error(`the event ${summary}: ${messageOf(error)}`, { cause: error });
  }
}

/** Prepares the rules of an event for the library. Returns the number of repetitions that count. */
function prepareRules(event: ical.Event, zones: ZoneOf): number {
  refuseFrequent(event);
  simplifyLastDay(event.component);
  refuseMisread(event.component);
  sortTimes(event.component);
  completeRules(event);
  includeLastDay(event);
  setLocalEnds(event, zones);
  return takeCount(event.component);
}

function refuseFrequent({ component }: ical.Event): void {
  const rules = component.getAllProperties('rrule');
  if (rules.some((rule) => /FREQ=(SECONDLY|MINUTELY)/.test(rule.toICALString())))
    throw new Error('it repeats every minute or second; write one long event instead');
}

/** Returns whether an event is cancelled. Values of this property are compared ignoring case (RFC 5545, section 2). */
function isCancelled({ component }: ical.Event): boolean {
  return String(component.getFirstPropertyValue('status')).toUpperCase() === 'CANCELLED';
}

function startOf({ component }: ical.Event): ical.Property {
  const begin = component.getFirstProperty('dtstart');
  if (begin === null) throw new Error('it has no DTSTART');
  return begin;
}

/**
 * Returns the starts of an event that no rule repeats, each with the property that names its zone: its RDATEs, and
 * without a rule its DTSTART (RFC 5545, section 3.8.5.2). The library omits the DTSTART, and ignores the zone of an
 * RDATE.
 */
function datesOf(event: ical.Event, hasRule: boolean): [ical.Time | ical.Period, ical.Property][] {
  const first: [ical.Time, ical.Property][] = hasRule ? [] : [[event.startDate, startOf(event)]];
  const further = event.component
    .getAllProperties('rdate')
    .flatMap((property) =>
      property
        .getValues()
        .map((value: unknown): [ical.Time | ical.Period, ical.Property] => [value as ical.Time, property]),
    );
  return [...first, ...further];
}

/**
 * Returns an occurrence of an event, whose duration is that of the event, unless the start is a period. A DTEND
 * that is a date counts whole days; a DTEND with a time gives each repetition the same elapsed time; a DURATION counts
 * calendar days plus elapsed time (RFC 5545, sections 3.3.6 and 3.8.5.3).
 *
 * @param begin names the zone of the start
 */
function occurrenceOf(
  item: ical.Event,
  start: ical.Time | ical.Period,
  begin: ical.Property,
  zones: ZoneOf,
): Occurrence {
  const { component } = item;
  const summary = summaryOf(item);
  if (start instanceof ical.Period) {
    const [first, last] = [start.start, start.getEnd()].map((time) => instantIn(begin, time, zones));
    return { from: first ?? 0, to: last ?? 0, summary };
  }
  const from = instantIn(begin, start, zones);
  const duration = component.getFirstPropertyValue('duration');
  if (duration instanceof ical.Duration) {
    const days = (duration.weeks * 7 + duration.days) * (duration.isNegative ? 0 : 1);
    const rest = (duration.hours * 3600 + duration.minutes * 60 + duration.seconds) * 1000;
    return { from, to: instantIn(begin, laterBy(start, days), zones) + rest, summary };
  }
  const end = component.getFirstProperty('dtend');
  const endTime = end?.getFirstValue();
  if (end === null || !(endTime instanceof ical.Time))
    return { from, to: start.isDate ? instantIn(begin, laterBy(start, 1), zones) : from, summary };
  const { startDate } = item;
  if (startDate.isDate) {
    const days = Math.round((endTime.toUnixTime() - startDate.toUnixTime()) / 86_400);
    if (days < 0) throw new Error('its DTEND is before its DTSTART');
    return { from, to: instantIn(begin, laterBy(start, days), zones), summary };
  }
  const lengthMs = instantIn(end, endTime, zones) - instantIn(startOf(item), startDate, zones);
  if (lengthMs < 0) throw new Error('its DTEND is before its DTSTART');
  return { from, to: from + lengthMs, summary };
}

function summaryOf({ summary }: ical.Event): string {
  return [...(summary ?? '').slice(0, 2 * maxSummary)].slice(0, maxSummary).join('');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function laterBy(time: ical.Time, days: number): ical.Time {
  const later = time.clone();
  later.adjust(days, 0, 0, 0);
  return later;
}
