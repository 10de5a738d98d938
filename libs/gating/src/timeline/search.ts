import { isExhausted, type Effort, type Timeline } from './timeline.js';

/** Length of the first step; each step is twice as long as the previous one. */
const firstStepMs = 92 * 86_400_000;

/** The end of a run, or the time up to which it was searched. */
interface Found {
  at: number;
  isChange: boolean;
}

/** Returns the first change after `t`, searched up to `limit` or until the work limit is reached. */
export function nextChange(timeline: Timeline, t: number, limit: number): Found {
  const value = timeline.at(t);
  const effort: Effort = { steps: 0 };
  let at = t;
  for (let stepMs = firstStepMs; at < limit && !isExhausted(effort); stepMs *= 2) {
    at = timeline.until(at, Math.min(limit, at + stepMs), effort);
    if (at < limit && timeline.at(at) !== value) return { at, isChange: true };
  }
  return { at, isChange: false };
}

/** Returns whether a timeline keeps its value from `t` to `limit`; false if the work limit is reached before that is known. */
export function keepsValue(timeline: Timeline, t: number, limit: number): boolean {
  const { at, isChange } = nextChange(timeline, t, limit);
  return !isChange && at === limit;
}

/** Returns the beginning of the run that contains `t`, searched back to `limit` or until the work limit is reached. */
export function lastChange(timeline: Timeline, t: number, limit: number): Found {
  const value = timeline.at(t);
  const effort: Effort = { steps: 0 };
  let at = t;
  for (let stepMs = firstStepMs; at > limit && !isExhausted(effort); stepMs *= 2) {
    at = timeline.since(at, Math.max(limit, at - stepMs), effort);
    if (at > limit && timeline.at(at - 1) !== value) return { at, isChange: true };
    if (at > limit) at -= 1;
  }
  return { at: Math.max(at, limit), isChange: false };
}
