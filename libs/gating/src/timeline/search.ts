import { leaps } from './leaps.js';
import type { Timeline } from './timeline.js';

/** About half a second of work. Schedules that complement one another by the minute for years would take more. */
const maxLeaps = 500_000;
/** Of the first step; each is twice as long as the one before. */
const firstStepMs = 92 * 86_400_000;

/** The end of a run, or how far it was followed. */
export interface Found {
  at: number;
  isChange: boolean;
}

/** @returns the first change after `t`, looked for as far as `limit`, or as far as the work is bounded. */
export function nextChange(timeline: Timeline, t: number, limit: number): Found {
  const value = timeline.at(t);
  const begun = leaps.count;
  let at = t;
  for (let stepMs = firstStepMs; at < limit && leaps.count - begun < maxLeaps; stepMs *= 2) {
    at = timeline.until(at, Math.min(limit, at + stepMs));
    if (at < limit && timeline.at(at) !== value) return { at, isChange: true };
  }
  return { at, isChange: false };
}

/** @returns the begin of the run that `t` is in, looked for back to `limit`, or as far as the work is bounded. */
export function lastChange(timeline: Timeline, t: number, limit: number): Found {
  const value = timeline.at(t);
  const begun = leaps.count;
  let at = t;
  for (let stepMs = firstStepMs; at > limit && leaps.count - begun < maxLeaps; stepMs *= 2) {
    at = timeline.since(at, Math.max(limit, at - stepMs));
    if (at > limit && timeline.at(at - 1) !== value) return { at, isChange: true };
    if (at > limit) at -= 1;
  }
  return { at: Math.max(at, limit), isChange: false };
}
