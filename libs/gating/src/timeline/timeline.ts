/** Counts the timelines that a search evaluates, so that it can be stopped. */
export interface Effort {
  steps: number;
}

/** About a tenth of a second of work. Schedules that complement one another minute by minute for years would take minutes. */
const maxSteps = 100_000;

/**
 * A boolean that changes over time, such as "inside of a window". All times are integral ms since the epoch.
 *
 * `until` and `since` search the run of equal values around `t`, no further than `limit`: they return `limit` if the
 * run reaches that far. So the result is a change exactly if it is not the limit.
 */
export interface Timeline {
  at(t: number): boolean;
  /**
   * Returns the first instant after `t` with another value, at most `limit`. Adds the steps that it took to `effort`; if that
   * is exhausted, returns an instant up to which the value is the same.
   */
  until(t: number, limit: number, effort?: Effort): number;
  /**
   * Returns the first instant of the run that contains `t`, at least `limit`. Adds the steps that it took to `effort`; if
   * that is exhausted, returns an instant from which the value is the same.
   */
  since(t: number, limit: number, effort?: Effort): number;
}

/** Returns a timeline that always has `value`. */
export function constant(value: boolean): Timeline {
  return { at: () => value, until: (_t, limit) => limit, since: (_t, limit) => limit };
}

/** Returns a timeline that is true in [from, to). */
export function interval(from: number, to: number): Timeline {
  if (from >= to) return constant(false);
  const inside = (t: number) => t >= from && t < to;
  return {
    at: inside,
    until: (t, limit) => Math.min(limit, t < from ? from : t < to ? to : limit),
    since: (t, limit) => Math.max(limit, t >= to ? to : t >= from ? from : limit),
  };
}

export function not(timeline: Timeline): Timeline {
  return {
    at: (t) => !timeline.at(t),
    until: (t, limit, effort) => timeline.until(t, limit, effort),
    since: (t, limit, effort) => timeline.since(t, limit, effort),
  };
}

/** Returns a timeline that is true when any of the timelines is true. */
export function anyOf(timelines: readonly Timeline[]): Timeline {
  const [first, ...others] = timelines;
  if (first === undefined) return constant(false);
  return others.length === 0 ? first : merged(timelines, true);
}

/** Returns a timeline that is true when all of the timelines are true. */
export function allOf(timelines: readonly Timeline[]): Timeline {
  const [first, ...others] = timelines;
  if (first === undefined) return constant(true);
  return others.length === 0 ? first : merged(timelines, false);
}

/**
 * Combines timelines. The combined value is `strong` when any timeline has that value, and the other value when none
 * has it.
 */
function merged(timelines: readonly Timeline[], strong: boolean): Timeline {
  const at = (t: number) => timelines.some((one) => one.at(t) === strong) === strong;
  const stronghold = (t: number, effort?: Effort) =>
    timelines.find((one) => {
      count(effort);
      return one.at(t) === strong;
    });
  return {
    at,
    until: (t, limit, effort) => {
      let end = t;
      let strongOne = stronghold(end);
      if (strongOne === undefined)
        return nearest(timelines, (one, bound) => one.until(t, bound, effort), limit);
      while (strongOne !== undefined && end < limit && !isExhausted(effort)) {
        end = strongOne.until(end, limit, effort);
        strongOne = end < limit ? stronghold(end, effort) : undefined;
      }
      return end;
    },
    since: (t, limit, effort) => {
      let begin = t;
      let strongOne = stronghold(begin);
      if (strongOne === undefined)
        return nearest(timelines, (one, bound) => one.since(t, bound, effort), limit);
      while (strongOne !== undefined && begin > limit && !isExhausted(effort)) {
        begin = strongOne.since(begin, limit, effort);
        strongOne = begin > limit ? stronghold(begin - 1, effort) : undefined;
        if (strongOne !== undefined) begin -= 1;
      }
      return begin;
    },
  };
}

/** Counts a step. */
export function count(effort: Effort | undefined): void {
  if (effort !== undefined) effort.steps += 1;
}

/** Returns whether a search must be stopped. */
export function isExhausted(effort: Effort | undefined): boolean {
  return effort !== undefined && effort.steps >= maxSteps;
}

/** Returns the nearest edge. Each search only needs to go as far as the best result so far. */
function nearest(
  timelines: readonly Timeline[],
  edge: (one: Timeline, bound: number) => number,
  limit: number,
): number {
  let bound = limit;
  for (const one of timelines) bound = edge(one, bound);
  return bound;
}
