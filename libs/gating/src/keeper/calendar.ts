import { messageOf, type GateKeeper } from '@interlock/api';
import { readEvents, type CalendarEvents } from '../calendar/events.js';
import { readZone } from '../schedule/compile.js';
import { dayMs } from '../schedule/civil.js';
import type { Zone } from '../schedule/zone.js';
import { intervals } from '../timeline/intervals.js';
import { not, type Timeline } from '../timeline/timeline.js';
import type { Problem } from '../types.js';

type CalendarSpec = NonNullable<GateKeeper['spec']['calendar']>;

export interface CompiledCalendar {
  zone: Zone;
  effect: 'Closed' | 'Open';
  problems: Omit<Problem, 'object'>[];
  /** What was read last, as the same text is asked for again and again. */
  last?: { text: string; year: number; expanded: ExpandedCalendar | { error: string } };
}

export interface ExpandedCalendar {
  closed: Timeline;
  describe(t: number): string;
  /** Up to when all events are known, ms since the epoch. */
  knownUntil: number;
  eventCount: number;
}

export function compileCalendar(spec: CalendarSpec): CompiledCalendar {
  const problems: Omit<Problem, 'object'>[] = [];
  const zone = readZone(spec.timeZone, 'spec.calendar.timeZone', problems);
  return { zone, effect: spec.effect, problems };
}

const yearsBack = 2;
const yearsAhead = 11;

/**
 * @returns where the calendar closes the gate, for some years around `now`; or why the text cannot be used.
 */
export function expandCalendar(
  now: number,
  calendar: CompiledCalendar,
  text: string,
): ExpandedCalendar | { error: string } {
  const year = new Date(now).getUTCFullYear();
  if (calendar.last?.text !== text || calendar.last.year !== year)
    calendar.last = { text, year, expanded: expand(calendar, text, year) };
  return calendar.last.expanded;
}

function expand(
  calendar: CompiledCalendar,
  text: string,
  year: number,
): ExpandedCalendar | { error: string } {
  try {
    const from = Date.UTC(year - yearsBack, 0);
    const events = readEvents(text, calendar.zone, from, Date.UTC(year + yearsAhead, 0) + dayMs);
    const inside = intervals(events.occurrences.map(({ from: begin, to }) => [begin, to]));
    const isClosing = calendar.effect === 'Closed';
    return {
      closed: isClosing ? inside : not(inside),
      describe: (t) => describe(events, t, isClosing),
      knownUntil: events.knownUntil,
      eventCount: events.eventCount,
    };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function describe({ occurrences }: CalendarEvents, t: number, isClosing: boolean): string {
  const current = occurrences.find(({ from, to }) => from <= t && t < to);
  if (current === undefined) return isClosing ? 'no event now' : 'closed outside of its events';
  const during = `during the event ${JSON.stringify(current.summary)}`;
  return isClosing ? `closed ${during}` : `${during}, in which it may be open`;
}
