import type { Timeline } from './timeline.js';

/**
 * Returns a timeline that is true inside any of the intervals.
 *
 * @param list [begin, end) in any order; empty intervals do not count
 */
export function intervals(list: readonly (readonly [number, number])[]): Timeline {
  const merged: [number, number][] = [];
  for (const [begin, end] of list.filter(([from, to]) => from < to).sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && begin <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([begin, end]);
  }
  /** Returns the last interval that does not begin after `t`, and the interval that follows it. */
  const around = (t: number) => {
    let low = 0;
    let high = merged.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((merged[middle]?.[0] ?? Infinity) <= t) low = middle + 1;
      else high = middle;
    }
    return { current: merged[low - 1], following: merged[low] };
  };
  return {
    at: (t) => t < (around(t).current?.[1] ?? -Infinity),
    until: (t, limit) => {
      const { current, following } = around(t);
      const inside = current !== undefined && t < current[1];
      return Math.min(limit, inside ? current[1] : (following?.[0] ?? limit));
    },
    since: (t, limit) => {
      const { current } = around(t);
      if (current === undefined) return limit;
      return Math.max(limit, t < current[1] ? current[0] : current[1]);
    },
  };
}
