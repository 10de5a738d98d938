import { remembered } from '../timeline/remembered.js';
import { allOf, anyOf, interval, type Timeline } from '../timeline/timeline.js';
import type { CompiledKeeper } from './compile.js';
import type { Verdict } from './judge.js';

interface Together {
  compiled: readonly CompiledKeeper[];
  created: readonly number[];
  timeline: Timeline;
}

/** The last union of schedules, by the first of them. */
const known = new WeakMap<CompiledKeeper, Together>();

/**
 * @param created when each keeper was created; before, it said nothing.
 * @returns where any of the keepers says Closed. The union of the same schedules is remembered with what was found out
 * about it, as it is asked again and again.
 */
export function closedTogether(
  compiled: readonly CompiledKeeper[],
  verdicts: readonly Verdict[],
  created: readonly number[],
): Timeline {
  const [first] = compiled;
  const isFixed = compiled.every(({ schedule }) => schedule !== undefined);
  if (first === undefined || !isFixed) return unite(verdicts, created);
  const last = known.get(first);
  if (last !== undefined && sameItems(last.compiled, compiled) && sameItems(last.created, created))
    return last.timeline;
  const timeline = remembered(unite(verdicts, created));
  known.set(first, { compiled, created, timeline });
  return timeline;
}

function unite(verdicts: readonly Verdict[], created: readonly number[]): Timeline {
  return anyOf(
    verdicts.map(({ closed }, index) => {
      const from = created[index] ?? -Infinity;
      return from === -Infinity ? closed : allOf([closed, interval(from, Infinity)]);
    }),
  );
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
