import type { Timeline } from '../timeline/timeline.js';
import { dayMs } from './civil.js';
import type { Zone } from './zone.js';

/** Period for which the transitions of a zone are searched at once. */
export const pieceMs = 400 * dayMs;

/**
 * Returns a timeline of instants for a timeline of local times, on the clock of the zone: a skipped time never occurs,
 * and a repeated time occurs twice.
 *
 * @param local timeline on a clock without an offset
 */
export function inZone(zone: Zone, local: Timeline): Timeline {
  const at = (t: number) => local.at(t + zone.segment(t, t, t).offset);
  return {
    at,
    until: (t, limit, effort) => {
      const value = at(t);
      for (let from = t; ;) {
        const { offset, to } = zone.segment(from, from, from + pieceMs);
        const end = Math.min(to, from + pieceMs, limit);
        const change = local.until(from + offset, end + offset, effort) - offset;
        if (change < end || end === limit) return change;
        if (at(end) !== value) return end;
        from = end;
      }
    },
    since: (t, limit, effort) => {
      const value = at(t);
      for (let last = t; ;) {
        const { offset, from } = zone.segment(last, last - pieceMs, last);
        const begin = Math.max(from, last - pieceMs, limit);
        const change = local.since(last + offset, begin + offset, effort) - offset;
        if (change > begin || begin === limit) return change;
        if (at(begin - 1) !== value) return begin;
        last = begin - 1;
      }
    },
  };
}
