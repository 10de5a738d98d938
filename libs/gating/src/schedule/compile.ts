import { messageOf, type Schedule, type ScheduleWindow } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import type { ObjectProblem } from '../object-problem.js';
import { remembered } from '../timeline/remembered.js';
import { keepsValue } from '../timeline/search.js';
import { anyOf, interval, not, type Timeline } from '../timeline/timeline.js';
import { parseCron, type Cron } from './cron.js';
import { inZone } from './in-zone.js';
import { matchingMinutes } from './minutes.js';
import { matchesSomeDay } from './never.js';
import { startedWindows } from './starts.js';
import { parseWallTime } from './wall-time.js';
import { zoneOf, type Zone } from './zone.js';

/** One window, as messages describe it. */
export interface NamedWindow {
  /** Path of the window within the schedule, such as `closed[0]`. */
  field: string;
  /** Display name of the window: its description, or its definition. */
  name: string;
  timeline: Timeline;
  /** The cron expression of a window that is a set of minutes, or whose starts a cron expression defines. */
  cron?: Cron;
  isMinuteSet: boolean;
}

export interface CompiledSchedule {
  zone: Zone;
  /** When the schedule is Closed. */
  timeline: Timeline;
  closed: NamedWindow[];
  open: NamedWindow[];
  problems: Omit<ObjectProblem, 'object'>[];
}

/**
 * Returns the windows of a schedule. If it has problems, it must not be used.
 *
 * @param field path of the schedule, for problems
 */
export function compileSchedule(schedule: Schedule, field: string): CompiledSchedule {
  const problems: Omit<ObjectProblem, 'object'>[] = [];
  const zone = readZone(schedule.timeZone, `${field}.timeZone`, problems);
  const compile = (side: 'closed' | 'open') =>
    (schedule[side] ?? []).flatMap((window, index) => {
      const path = `${side}[${index}]`;
      const compiled = compileWindow(window, `${field}.${path}`, schedule, zone, problems);
      return compiled === undefined ? [] : [{ ...compiled, field: path }];
    });
  if (schedule.closed === undefined && schedule.open === undefined)
    problems.push({ field, value: '', message: 'it has no window; list at least one in closed or open' });
  const closed = compile('closed');
  const open = compile('open');
  const timelines = [unite(closed, schedule, zone)];
  if (schedule.open !== undefined) timelines.push(not(unite(open, schedule, zone)));
  const timeline = remembered(anyOf(timelines));
  if (problems.length === 0 && isAlwaysClosed(timeline, [...closed, ...open])) {
    const message =
      'it is always closed: no time is inside an open window and outside every closed window; correct the windows, or close the gate with a GateOverride of effect Close';
    problems.push({ field, value: [...closed, ...open].map(({ name }) => name).join(', '), message });
  }
  return { zone, timeline, closed, open, problems };
}

/** A period of ten years in which every cron expression has had all its days, including the leap day. */
const [yearsFrom, yearsTo] = [Date.UTC(2020, 0), Date.UTC(2030, 0)];

/**
 * Returns whether the schedule is always closed. With a one-time window this depends on the time, so `warningsOf`
 * reports it.
 */
function isAlwaysClosed(timeline: Timeline, windows: readonly NamedWindow[]): boolean {
  if (windows.some(({ cron }) => cron === undefined)) return false;
  return timeline.at(yearsFrom) && keepsValue(timeline, yearsFrom, yearsTo);
}

export function readZone(name: string, field: string, problems: Omit<ObjectProblem, 'object'>[]): Zone {
  try {
    return zoneOf(name);
  } catch {
    problems.push({
      field,
      value: name,
      message: `${JSON.stringify(name)} is not a time zone; write a name of the IANA time zone database, such as Europe/Berlin or UTC`,
    });
    return zoneOf('UTC');
  }
}

/**
 * Returns when the time is in any of the windows. Minute sets are evaluated together, so that many of them need only
 * one check per day.
 */
function unite(windows: readonly NamedWindow[], schedule: Schedule, zone: Zone): Timeline {
  const crons = windows.flatMap(({ cron, isMinuteSet }) => (isMinuteSet && cron !== undefined ? [cron] : []));
  const others = windows.filter(({ isMinuteSet }) => !isMinuteSet).map(({ timeline }) => timeline);
  return anyOf(crons.length === 0 ? others : [...others, minutesIn(zone, crons, schedule)]);
}

function minutesIn(zone: Zone, crons: readonly Cron[], schedule: Schedule): Timeline {
  return remembered(inZone(zone, matchingMinutes(crons, schedule.dayMatch)));
}

function compileWindow(
  window: ScheduleWindow,
  field: string,
  schedule: Schedule,
  zone: Zone,
  problems: Omit<ObjectProblem, 'object'>[],
): Omit<NamedWindow, 'field'> | undefined {
  const read = <T>(key: 'cron' | 'start' | 'duration' | 'from' | 'to', parse: (text: string) => T) => {
    const value = window[key] ?? '';
    try {
      return parse(value);
    } catch (error) {
      const detail = messageOf(error).replace(JSON.stringify(value), '').trim();
      problems.push({ field: `${field}.${key}`, value, message: `${JSON.stringify(value)} ${detail}` });
      return undefined;
    }
  };
  const forms = (['cron', 'start', 'from'] as const).filter((key) => window[key] !== undefined);
  if (forms.length !== 1) {
    const message = `a window must have exactly one form, but this one has ${forms.length === 0 ? 'none' : forms.join(' and ')}; set cron, start with duration, or from with to`;
    problems.push({ field, value: forms.join(), message });
    return undefined;
  }
  const parseReal = (text: string) => {
    const cron = parseCron(text);
    if (matchesSomeDay(cron, schedule.dayMatch)) return cron;
    throw new Error(
      'never matches, because there is no such date; correct the day of the month or the month',
    );
  };
  if (window.cron !== undefined) {
    const cron = read('cron', parseReal);
    return (
      cron && { name: nameOf(window), timeline: minutesIn(zone, [cron], schedule), cron, isMinuteSet: true }
    );
  }
  if (window.start !== undefined) {
    const cron = read('start', parseReal);
    const duration = read('duration', positiveDuration);
    if (cron === undefined || duration === undefined) return undefined;
    return {
      name: nameOf(window),
      timeline: remembered(startedWindows(cron, schedule.dayMatch, zone, duration)),
      cron,
      isMinuteSet: false,
    };
  }
  const from = read('from', (text) => parseWallTime(text, zone));
  const to = read('to', (text) => parseWallTime(text, zone));
  if (from === undefined || to === undefined) return undefined;
  if (from < to) return { name: nameOf(window), timeline: interval(from, to), isMinuteSet: false };
  problems.push({
    field: `${field}.to`,
    value: window.to ?? '',
    message: `${JSON.stringify(window.to)} is not after from (${JSON.stringify(window.from)}); swap them or correct one`,
  });
  return undefined;
}

function positiveDuration(text: string): number {
  const duration = Math.round(parseDuration(text));
  if (duration > 0) return duration;
  throw new Error('is not a positive duration; write how long the window lasts, such as 8h');
}

function nameOf(window: ScheduleWindow): string {
  if (window.description !== undefined) return window.description;
  if (window.cron !== undefined) return window.cron;
  if (window.start !== undefined) return `${window.start} for ${window.duration ?? ''}`;
  return `${window.from ?? ''} to ${window.to ?? ''}`;
}
