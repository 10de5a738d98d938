import { count, isExhausted, type Effort, type Timeline } from '../timeline/timeline.js';
import { dayMs, minuteMs } from './civil.js';
import type { Cron } from './cron.js';
import { pieceMs } from './in-zone.js';
import { matchingMinutes, type DayMatch } from './minutes.js';
import type { Zone } from './zone.js';

/**
 * Returns the windows that begin in each matching minute of a cron expression and last for an elapsed time. A start in
 * a skipped hour is moved to the first minute after it; a start in a repeated hour is in the first of the two.
 *
 * @param durationMs greater than 0
 */
export function startedWindows(cron: Cron, dayMatch: DayMatch, zone: Zone, durationMs: number): Timeline {
  return new StartedWindows(
    new Starts(matchingMinutes([cron], dayMatch), zone),
    durationMs,
    isDense(cron, durationMs),
  );
}

/** Returns whether each window reaches the next one on days without a change of the offset. */
function isDense(cron: Cron, durationMs: number): boolean {
  const everyDay = !cron.restrictsDay && !cron.restrictsWeekday && cron.months.slice(1).every(Boolean);
  const [first = 0] = cron.minutes;
  const following = [...cron.minutes.slice(1), first + dayMs / minuteMs];
  return (
    everyDay && cron.minutes.every((minute, i) => ((following[i] ?? 0) - minute) * minuteMs <= durationMs)
  );
}

/** The instants at which windows begin. */
class Starts {
  readonly zone: Zone;
  readonly #minutes: Timeline;

  constructor(minutes: Timeline, zone: Zone) {
    this.#minutes = minutes;
    this.zone = zone;
  }

  /** Returns the last start in [low, t]. */
  last(t: number, low: number): number | undefined {
    for (let upper = t; upper >= low;) {
      const segment = this.zone.segment(upper, upper - pieceMs - dayMs, upper);
      const begin = Math.max(segment.from, upper - pieceMs, low);
      const lowest = Math.max(
        segment.from + segment.offsetBefore,
        begin === segment.from ? -Infinity : begin + segment.offset,
      );
      const minute = this.#lastMinute(upper + segment.offset, lowest);
      if (minute !== undefined) return Math.max(minute - segment.offset, segment.from);
      upper = begin - 1;
    }
    return undefined;
  }

  /** Returns the first start in [t, high). */
  next(t: number, high: number): number | undefined {
    for (let lower = t; lower < high;) {
      const segment = this.zone.segment(lower, lower - dayMs, lower + pieceMs);
      const end = Math.min(segment.to, lower + pieceMs, high);
      const lowest = Math.max(
        segment.from + segment.offsetBefore,
        lower === segment.from ? -Infinity : lower + segment.offset,
      );
      const minute = this.#nextMinute(lowest, end + segment.offset);
      if (minute !== undefined) return Math.max(minute - segment.offset, segment.from);
      lower = end;
    }
    return undefined;
  }

  #lastMinute(local: number, lowest: number): number | undefined {
    const minute = Math.floor(local / minuteMs) * minuteMs;
    const bound = Math.max(lowest, local - 2 * pieceMs);
    if (minute < bound) return undefined;
    if (this.#minutes.at(minute)) return minute;
    const last = this.#minutes.since(minute, bound) - minuteMs;
    return last >= lowest ? last : undefined;
  }

  #nextMinute(local: number, limit: number): number | undefined {
    const minute = Math.ceil(local / minuteMs) * minuteMs;
    if (minute >= limit) return undefined;
    const next = this.#minutes.at(minute) ? minute : this.#minutes.until(minute, limit);
    return next < limit ? next : undefined;
  }
}

class StartedWindows implements Timeline {
  readonly #starts: Starts;
  readonly #duration: number;
  readonly #dense: boolean;

  constructor(starts: Starts, duration: number, dense: boolean) {
    this.#starts = starts;
    this.#duration = duration;
    this.#dense = dense;
  }

  at(t: number): boolean {
    return this.#startOf(t) !== undefined;
  }

  until(t: number, limit: number, effort?: Effort): number {
    let start = this.#startOf(t);
    if (start === undefined) return this.#starts.next(t + 1, limit) ?? limit;
    let end = start + this.#duration;
    while (end < limit) {
      if (isExhausted(effort)) return end;
      count(effort);
      start = this.#starts.last(this.#reach(start, end, limit), start + 1);
      if (start === undefined) return end;
      end = start + this.#duration;
    }
    return limit;
  }

  since(t: number, limit: number, effort?: Effort): number {
    const start = this.#startOf(t);
    if (start === undefined) {
      const last = this.#starts.last(t, limit - this.#duration);
      return last === undefined ? limit : Math.max(limit, last + this.#duration);
    }
    let begin = start;
    while (begin > limit) {
      if (isExhausted(effort)) return begin;
      count(effort);
      const earlier = this.#starts.next(this.#reachBack(begin, limit), begin);
      if (earlier === undefined) return begin;
      begin = earlier;
    }
    return limit;
  }

  /** Returns the last start of a window that contains `t`. */
  #startOf(t: number): number | undefined {
    return this.#starts.last(t, t - this.#duration + 1);
  }

  /** Returns an instant up to which all starts after `start` are in contiguous windows. */
  #reach(start: number, end: number, limit: number): number {
    if (!this.#dense) return end;
    const { to } = this.#starts.zone.segment(start, start, start + pieceMs);
    return Math.max(end, Math.min(to - 1, start + pieceMs, limit));
  }

  #reachBack(begin: number, limit: number): number {
    const near = begin - this.#duration;
    if (!this.#dense) return near;
    const { from } = this.#starts.zone.segment(begin, begin - pieceMs, begin);
    return Math.min(near, Math.max(from, begin - pieceMs, limit));
  }
}
