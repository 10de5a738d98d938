import type { Timeline } from '../timeline/timeline.js';
import { civilOf, dayMs, dayNumberOf, weekdayOf } from './civil.js';
import { runsOf, type Cron, type Runs } from './cron.js';

const nothing: Runs = [];

/**
 * `any`: a cron expression that restricts both the day of the month and the day of the week matches on either; `all`:
 * only on both.
 */
export type DayMatch = 'any' | 'all';

/**
 * Returns when the local time is in a minute that one of the cron expressions matches. Times are ms on a clock without
 * offset. A whole day is evaluated at once, and months without a match are skipped.
 */
export function matchingMinutes(crons: readonly Cron[], dayMatch: DayMatch): Timeline {
  return new MatchingMinutes(crons, dayMatch);
}

class MatchingMinutes implements Timeline {
  readonly #crons: readonly Cron[];
  readonly #dayMatch: DayMatch;
  readonly #months: boolean[];
  /** Runs by the combination of cron expressions that match on a day. There are few such combinations. */
  readonly #runs = new Map<string, Runs>();
  /** The day that was evaluated last, and its runs. */
  #day = NaN;
  #dayRuns = nothing;

  constructor(crons: readonly Cron[], dayMatch: DayMatch) {
    this.#crons = crons;
    this.#dayMatch = dayMatch;
    this.#months = Array.from({ length: 13 }, (_, month) =>
      crons.some((cron) => cron.months[month] === true),
    );
  }

  at(local: number): boolean {
    const day = Math.floor(local / dayMs);
    const time = local - day * dayMs;
    return this.#runsOn(day).some(([begin, end]) => time >= begin && time < end);
  }

  until(local: number, limit: number): number {
    return this.at(local) ? this.#runEnd(local, limit) : this.#nextBegin(local, limit);
  }

  since(local: number, limit: number): number {
    return this.at(local) ? this.#runBegin(local, limit) : this.#lastEnd(local, limit);
  }

  #runEnd(local: number, limit: number): number {
    for (let day = Math.floor(local / dayMs), from = local; ; day += 1, from = day * dayMs) {
      const time = from - day * dayMs;
      const run = this.#runsOn(day).find(([begin, end]) => time >= begin && time < end);
      const end = run === undefined ? from : day * dayMs + run[1];
      if (end >= limit) return limit;
      if (run?.[1] !== dayMs) return end;
    }
  }

  #runBegin(local: number, limit: number): number {
    for (let day = Math.floor(local / dayMs), last = local; ; day -= 1, last = (day + 1) * dayMs - 1) {
      const time = last - day * dayMs;
      const run = this.#runsOn(day).find(([begin, end]) => time >= begin && time < end);
      const begin = run === undefined ? (day + 1) * dayMs : day * dayMs + run[0];
      if (begin <= limit) return limit;
      if (run?.[0] !== 0) return begin;
    }
  }

  #nextBegin(local: number, limit: number): number {
    let day = Math.floor(local / dayMs);
    let time = local - day * dayMs;
    while (day * dayMs < limit) {
      const run = this.#runsOn(day).find(([begin]) => begin >= time);
      if (run !== undefined) return Math.min(limit, day * dayMs + run[0]);
      day = this.#dayAfter(day);
      time = 0;
    }
    return limit;
  }

  #lastEnd(local: number, limit: number): number {
    let day = Math.floor(local / dayMs);
    let time = local - day * dayMs;
    while ((day + 1) * dayMs > limit) {
      const run = this.#runsOn(day).findLast(([, end]) => end <= time);
      if (run !== undefined) return Math.max(limit, day * dayMs + run[1]);
      day = this.#dayBefore(day);
      time = dayMs;
    }
    return limit;
  }

  #dayAfter(day: number): number {
    const { year, month } = civilOf(day + 1);
    return this.#months[month] === true ? day + 1 : dayNumberOf(year, month + 1, 1);
  }

  #dayBefore(day: number): number {
    const { year, month } = civilOf(day - 1);
    return this.#months[month] === true ? day - 1 : dayNumberOf(year, month, 1) - 1;
  }

  #runsOn(day: number): Runs {
    if (day !== this.#day) {
      this.#day = day;
      this.#dayRuns = this.#findRuns(day);
    }
    return this.#dayRuns;
  }

  #findRuns(day: number): Runs {
    const { month, day: dayOfMonth } = civilOf(day);
    if (this.#months[month] !== true) return nothing;
    const weekday = weekdayOf(day);
    const matching: number[] = [];
    for (const [index, cron] of this.#crons.entries())
      if (cron.months[month] === true && matchesDay(cron, dayOfMonth, weekday, this.#dayMatch))
        matching.push(index);
    const [first] = matching;
    if (first === undefined) return nothing;
    return matching.length === 1 ? (this.#crons[first]?.runs ?? nothing) : this.#together(matching);
  }

  #together(matching: readonly number[]): Runs {
    const key = matching.join();
    let runs = this.#runs.get(key);
    if (runs === undefined) {
      const crons = this.#crons.filter((_, index) => matching.includes(index));
      runs = runsOf(crons.flatMap(({ minutes }) => minutes));
      this.#runs.set(key, runs);
    }
    return runs;
  }
}

/**
 * Returns whether a day matches. If both fields restrict the day, one match is enough (crontab(5)); `all` requires
 * both.
 */
function matchesDay(cron: Cron, day: number, weekday: number, dayMatch: DayMatch): boolean {
  const onDay = cron.days[day] === true;
  const onWeekday = cron.weekdays[weekday] === true;
  return cron.restrictsDay && cron.restrictsWeekday && dayMatch === 'any'
    ? onDay || onWeekday
    : onDay && onWeekday;
}
