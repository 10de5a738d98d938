import { messageOf, timestampOf, type KubeObject } from '@interlock/api';
import { isProblem, type OrProblem } from '@interlock/base';
import type { CalendarEvents } from '../calendar/events.js';
import type { Contribution, KeeperInput } from '../types.js';
import type { CompiledSchedule, NamedWindow } from '../schedule/compile.js';
import { nextChange } from '../timeline/search.js';
import { constant, type Timeline } from '../timeline/timeline.js';
import { closedByCalendar, describeCalendar, type CompiledCalendar } from './calendar.js';
import type { CompiledKeeper } from './compile.js';
import type { CompiledExpression } from './expression.js';
import { withoutValues } from './without-values.js';

/** The verdict of one keeper, now and at other times. */
export interface Verdict {
  source: string;
  /** Unknown: the source cannot be evaluated now. Invalid: the spec of the source is wrong. */
  kind: 'Known' | 'Unknown' | 'Invalid';
  /** When the keeper is Closed; never unless the verdict is Known. */
  closed: Timeline;
  /** Returns a sentence that describes the verdict at `t`. */
  describe(t: number): string;
  /** Time up to which `closed` is known; absent if there is no limit. */
  knownUntil?: number;
}

/**
 * Returns the verdict of a keeper.
 *
 * @param now time of the readings, which are treated as constant
 */
export function verdictOf(now: number, input: KeeperInput, compiled: CompiledKeeper): Verdict {
  const { source, schedule, calendar, expression, problems } = compiled;
  const [problem] = problems;
  if (problem !== undefined) return silent(source, 'Invalid', `${problem.field}: ${problem.message}`);
  if (schedule !== undefined) return ofSchedule(source, schedule);
  if (calendar !== undefined) return ofCalendar(now, source, calendar, input.calendar);
  if (expression !== undefined) return ofExpression(source, expression, input.over);
  return silent(source, 'Invalid', 'it has no schedule, calendar or expression');
}

function silent(source: string, kind: 'Unknown' | 'Invalid', message: string): Verdict {
  return { source, kind, closed: constant(false), describe: () => message };
}

/** Timelines of schedules. They are cached because they do not depend on the time of the evaluation. */
const known = new WeakMap<CompiledSchedule, Verdict>();

function ofSchedule(source: string, schedule: CompiledSchedule): Verdict {
  const remembered = known.get(schedule);
  if (remembered !== undefined) return remembered;
  const verdict: Verdict = {
    source,
    kind: 'Known',
    closed: schedule.timeline,
    describe: (t) => describeSchedule(schedule, t),
  };
  known.set(schedule, verdict);
  return verdict;
}

function describeSchedule(schedule: CompiledSchedule, t: number): string {
  const inside = schedule.closed.find(({ timeline }) => timeline.at(t));
  if (inside !== undefined) return `closed in ${nameOf(inside, schedule)}`;
  if (schedule.timeline.at(t)) return `closed outside of its open windows (${schedule.zone.name})`;
  const open = schedule.open.find(({ timeline }) => timeline.at(t));
  return open === undefined
    ? 'outside of its closed windows'
    : `allowed to be open in ${nameOf(open, schedule)}`;
}

function nameOf(window: NamedWindow, { zone }: CompiledSchedule): string {
  return `the window ${JSON.stringify(window.name)} (${zone.name})`;
}

function ofExpression(
  source: string,
  expression: CompiledExpression,
  over: OrProblem<KubeObject> | undefined,
): Verdict {
  const { cel } = expression;
  if (over === undefined) return silent(source, 'Unknown', `${expression.over} has not been read yet`);
  if (isProblem(over))
    return silent(
      source,
      over.transient ? 'Unknown' : 'Invalid',
      `${expression.over} cannot be read: ${over.message}`,
    );
  try {
    const passed = expression.evaluate(over);
    const message = `${JSON.stringify(cel)} is ${passed} for ${expression.over}`;
    return { source, kind: 'Known', closed: constant(!passed), describe: () => message };
  } catch (error) {
    const message = `${JSON.stringify(cel)} cannot be evaluated for ${expression.over}: ${withoutValues(messageOf(error), cel)}`;
    return silent(source, 'Unknown', message);
  }
}

function ofCalendar(
  now: number,
  source: string,
  calendar: CompiledCalendar,
  events: OrProblem<CalendarEvents> | undefined,
): Verdict {
  if (events === undefined) return silent(source, 'Unknown', 'the calendar has not been read yet');
  if (isProblem(events)) return silent(source, events.transient ? 'Unknown' : 'Invalid', events.message);
  const { knownFrom, knownUntil } = events;
  if (now < knownFrom)
    return silent(
      source,
      'Unknown',
      `the events of the calendar are only known from ${timestampOf(knownFrom)}`,
    );
  if (knownUntil <= now)
    return silent(
      source,
      'Unknown',
      `the calendar repeats so often that its events are only known until ${timestampOf(knownUntil)}; write fewer and longer events`,
    );
  return {
    source,
    kind: 'Known',
    closed: closedByCalendar(calendar, events),
    describe: (t) => describeCalendar(calendar, events, t),
    knownUntil,
  };
}

/** Returns the verdict as a contribution at `now`. */
export function contributionOf(verdict: Verdict, now: number, horizon: number): Contribution {
  const { source, kind, closed } = verdict;
  const message = verdict.describe(now);
  if (kind !== 'Known') return { source, effect: kind, message };
  const next = nextChange(closed, now, horizon);
  const effect = closed.at(now) ? 'Closed' : 'Abstain';
  return { source, effect, message, ...(next.isChange && { next: next.at }) };
}
