import type { Timeline } from './timeline.js';

/**
 * Returns the same timeline with a memory of the last run, because callers mostly request the same time again, or a
 * later one.
 */
export function remembered(timeline: Timeline): Timeline {
  let value = false;
  let from = 0;
  let to = 0;
  /** Whether the run changes at its ends, or was only searched up to there. */
  let toIsChange = false;
  let fromIsChange = false;
  const enter = (t: number) => {
    if (t >= from && t < to) return;
    value = timeline.at(t);
    from = t;
    to = t + 1;
    toIsChange = fromIsChange = false;
  };
  return {
    /* A query elsewhere, such as for the next change, does not discard the remembered run. */
    at: (t) => (t >= from && t < to ? value : timeline.at(t)),
    until: (t, limit, effort) => {
      enter(t);
      if (!toIsChange && to < limit) {
        to = timeline.until(to - 1, limit, effort);
        toIsChange = to < limit;
      }
      return Math.min(to, limit);
    },
    since: (t, limit, effort) => {
      enter(t);
      if (!fromIsChange && from > limit) {
        from = timeline.since(from, limit, effort);
        fromIsChange = from > limit;
      }
      return Math.max(from, limit);
    },
  };
}
