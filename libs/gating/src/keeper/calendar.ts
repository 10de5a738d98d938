import type { GateKeeper } from '@interlock/api';
import type { CalendarEvents } from '../calendar/events.js';
import { readZone } from '../schedule/compile.js';
import { intervals } from '../timeline/intervals.js';
import { not, type Timeline } from '../timeline/timeline.js';
import type { ObjectProblem } from '../object-problem.js';

type CalendarSpec = NonNullable<GateKeeper['spec']['calendar']>;

export interface CompiledCalendar {
  effect: 'Closed' | 'Open';
  problems: Omit<ObjectProblem, 'object'>[];
}

export function compileCalendar(spec: CalendarSpec): CompiledCalendar {
  const problems: Omit<ObjectProblem, 'object'>[] = [];
  readZone(spec.timeZone, 'spec.calendar.timeZone', problems);
  return { effect: spec.effect, problems };
}

/** The periods of events. They are remembered because the same events are evaluated repeatedly. */
const known = new WeakMap<CalendarEvents, Timeline>();

/** Returns when a calendar with these events closes the gate. */
export function closedByCalendar({ effect }: CompiledCalendar, events: CalendarEvents): Timeline {
  const inside = known.get(events) ?? intervals(events.occurrences.map(({ from, to }) => [from, to]));
  known.set(events, inside);
  return effect === 'Closed' ? inside : not(inside);
}

/** Returns a sentence that describes the state of a calendar at `t`, in ms since the epoch. */
export function describeCalendar(
  { effect }: CompiledCalendar,
  { occurrences }: CalendarEvents,
  t: number,
): string {
  const isClosing = effect === 'Closed';
  const current = occurrences.find(({ from, to }) => from <= t && t < to);
  if (current === undefined) return isClosing ? 'no event now' : 'closed outside of its events';
  const during = `during the event ${JSON.stringify(current.summary)}`;
  return isClosing ? `closed ${during}` : `allowed to be open ${during}`;
}
