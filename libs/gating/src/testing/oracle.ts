import type { Schedule, ScheduleWindow } from '@interlock/api';
import { dateKey, dateKeys, type WallClock } from './wall-clock.js';

/** A cron field as text, and the values that it matches. */
export interface Field {
  text: string;
  has: boolean[];
}

export interface RandomCron {
  text: string;
  fields: [Field, Field, Field, Field, Field];
}

export interface RandomWindow {
  window: ScheduleWindow;
  cron?: RandomCron;
  durationMinutes?: number;
  /** Minutes on the clock of the zone. */
  from?: number;
  to?: number;
}

export interface RandomSchedule {
  clock: WallClock;
  dayMatch: Schedule['dayMatch'];
  closed: RandomWindow[];
  open: RandomWindow[];
}

/** Returns for each minute of the clock whether the schedule is Closed, by checking each minute. */
export function closedMinutes(schedule: RandomSchedule): Uint8Array {
  const { clock, closed, open } = schedule;
  const result = new Uint8Array(clock.local.length);
  for (const window of closed) mark(result, window, schedule);
  if (open.length === 0) return result;
  const inside = new Uint8Array(clock.local.length);
  for (const window of open) mark(inside, window, schedule);
  for (let index = 0; index < result.length; index += 1) if (inside[index] === 0) result[index] = 1;
  return result;
}

function mark(into: Uint8Array, window: RandomWindow, { clock, dayMatch }: RandomSchedule): void {
  const { cron, durationMinutes, from = 0, to = 0 } = window;
  if (cron === undefined) {
    /* The first minute whose clock shows this time or a later one. */
    const begin = clock.local.findIndex((local) => local >= from);
    const end = clock.local.findIndex((local) => local >= to);
    into.fill(1, begin < 0 ? into.length : begin, end < 0 ? into.length : end);
    return;
  }
  const times = timeTable(cron);
  const dates = dateTable(cron, dayMatch);
  const hits = new Uint8Array(into.length);
  for (let index = 0; index < hits.length; index += 1)
    hits[index] = (times[clock.time[index] ?? 0] ?? 0) & (dates[clock.date[index] ?? 0] ?? 0);
  if (durationMinutes === undefined) {
    for (let index = 0; index < into.length; index += 1)
      into[index] = (into[index] ?? 0) | (hits[index] ?? 0);
    return;
  }
  const matchesSkipped = (local: number) => {
    const date = new Date(local * 60_000);
    const key = dateKey(date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay());
    return times[date.getUTCHours() * 60 + date.getUTCMinutes()] === 1 && dates[key] === 1;
  };
  markStarts(into, clock, hits, matchesSkipped, durationMinutes);
}

/** Returns for each minute of the day whether it matches. */
function timeTable({ fields: [minute, hour] }: RandomCron): Uint8Array {
  return new Uint8Array(1440).map((_, time) =>
    hour.has[Math.floor(time / 60)] === true && minute.has[time % 60] === true ? 1 : 0,
  );
}

/** Returns for each date key whether the date matches. */
function dateTable({ fields }: RandomCron, dayMatch: Schedule['dayMatch']): Uint8Array {
  const [, , day, month, weekday] = fields;
  const either = dayMatch === 'any' && day.text !== '*' && weekday.text !== '*';
  return new Uint8Array(dateKeys).map((_, key) => {
    const onDay = day.has[Math.floor(key / 7) % 32] === true;
    const onWeekday = weekday.has[key % 7] === true;
    const matches = either ? onDay || onWeekday : onDay && onWeekday;
    return matches && month.has[Math.floor(key / 7 / 32)] === true ? 1 : 0;
  });
}

/**
 * Marks the starts of windows: minutes that match for the first time on the clock and, after a gap, all matches that it
 * skipped.
 */
function markStarts(
  into: Uint8Array,
  { local }: WallClock,
  hits: Uint8Array,
  matchesSkipped: (local: number) => boolean,
  duration: number,
): void {
  let latest = (local[0] ?? 0) - 1;
  let until = -1;
  for (let index = 0; index < into.length; index += 1) {
    const now = local[index] ?? 0;
    let begins = now > latest && hits[index] === 1;
    for (let skipped = latest + 1; skipped < now; skipped += 1) begins ||= matchesSkipped(skipped);
    latest = Math.max(latest, now);
    if (begins) until = index + duration;
    if (index < until) into[index] = 1;
  }
}
