import type { GateKeeper } from '@interlock/api';
import { readZone } from '../schedule/compile.js';
import type { Zone } from '../schedule/zone.js';
import type { Timeline } from '../timeline/timeline.js';
import type { Problem } from '../types.js';

type CalendarSpec = NonNullable<GateKeeper['spec']['calendar']>;

export interface CompiledCalendar {
  zone: Zone;
  effect: 'Closed' | 'Open';
  problems: Omit<Problem, 'object'>[];
}

export function compileCalendar(spec: CalendarSpec): CompiledCalendar {
  const problems: Omit<Problem, 'object'>[] = [];
  const zone = readZone(spec.timeZone, 'spec.calendar.timeZone', problems);
  return { zone, effect: spec.effect, problems };
}

export interface ExpandedCalendar {
  closed: Timeline;
  describe(t: number): string;
  knownUntil: number;
}

export function expandCalendar(
  _now: number,
  _calendar: CompiledCalendar,
  _text: string,
): ExpandedCalendar | { error: string } {
  return { error: 'not read' };
}
