import type { Schedule, ScheduleWindow } from '@interlock/api';
import type { WallClock } from './wall-clock.js';

/** A cron field as text, and by what it means. */
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

/** @returns for each minute of the clock whether the schedule says Closed, by looking at each minute. */
export function closedMinutes(schedule: RandomSchedule): Uint8Array {
  const { clock, closed, open } = schedule;
  const result = new Uint8Array(clock.local.length);
  for (const window of closed) mark(result, window, schedule);
  if (open.length === 0) return result;
  const inside = new Uint8Array(clock.local.length);
  for (const window of open) mark(inside, window, schedule);
  return result.map((isClosed, index) => (isClosed === 1 || inside[index] === 0 ? 1 : 0));
}

function mark(into: Uint8Array, window: RandomWindow, { clock, dayMatch }: RandomSchedule): void {
  const { cron, durationMinutes, from = 0, to = 0 } = window;
  if (cron === undefined) {
    /* The first minute whose clock shows the time, or a later one. */
    const begin = clock.local.findIndex((local) => local >= from);
    const end = clock.local.findIndex((local) => local >= to);
    into.fill(1, begin < 0 ? into.length : begin, end < 0 ? into.length : end);
    return;
  }
  const dayMatches = dayTable(cron, dayMatch);
  const matches = (index: number) => matchesAt(cron, dayMatches, clock, index);
  if (durationMinutes === undefined) {
    for (let index = 0; index < into.length; index += 1) if (matches(index)) into[index] = 1;
    return;
  }
  markStarts(into, clock, matches, (local) => matchesLocal(cron, dayMatches, local), durationMinutes);
}

/** Whether the day matches, by day of the month * 7 + day of the week. */
function dayTable({ fields }: RandomCron, dayMatch: Schedule['dayMatch']): boolean[] {
  const [, , day, , weekday] = fields;
  const either = dayMatch === 'any' && day.text !== '*' && weekday.text !== '*';
  return Array.from({ length: 32 * 7 }, (_, index) => {
    const onDay = day.has[Math.floor(index / 7)] === true;
    const onWeekday = weekday.has[index % 7] === true;
    return either ? onDay || onWeekday : onDay && onWeekday;
  });
}

function matchesAt(cron: RandomCron, days: boolean[], clock: WallClock, index: number): boolean {
  const [minute, hour, , month] = cron.fields;
  return (
    minute.has[clock.minute[index] ?? 0] === true &&
    hour.has[clock.hour[index] ?? 0] === true &&
    month.has[clock.month[index] ?? 0] === true &&
    days[(clock.day[index] ?? 0) * 7 + (clock.weekday[index] ?? 0)] === true
  );
}

function matchesLocal(cron: RandomCron, days: boolean[], local: number): boolean {
  const date = new Date(local * 60_000);
  const [minute, hour, , month] = cron.fields;
  return (
    minute.has[date.getUTCMinutes()] === true &&
    hour.has[date.getUTCHours()] === true &&
    month.has[date.getUTCMonth() + 1] === true &&
    days[date.getUTCDate() * 7 + date.getUTCDay()] === true
  );
}

/** A window begins in a minute that matches for the first time on the clock, and after a gap for all that it skipped. */
function markStarts(
  into: Uint8Array,
  { local }: WallClock,
  matches: (index: number) => boolean,
  matchesSkipped: (local: number) => boolean,
  duration: number,
): void {
  let latest = (local[0] ?? 0) - 1;
  let until = -1;
  for (let index = 0; index < into.length; index += 1) {
    const now = local[index] ?? 0;
    let begins = now > latest && matches(index);
    for (let skipped = latest + 1; skipped < now; skipped += 1) begins ||= matchesSkipped(skipped);
    latest = Math.max(latest, now);
    if (begins) until = index + duration;
    if (index < until) into[index] = 1;
  }
}
