import { remembered } from '../timeline/remembered.js';
import { allOf, anyOf, interval, type Timeline } from '../timeline/timeline.js';
import type { CompiledKeeper } from './compile.js';
import type { Verdict } from './judge.js';

interface Together {
  compiled: readonly CompiledKeeper[];
  created: readonly number[];
  closedBefore: boolean;
  timeline: Timeline;
}

/** The last union of schedules, keyed by the first of them. */
const known = new WeakMap<CompiledKeeper, Together>();

/**
 * Returns when any of the keepers is Closed.
 *
 * The union of the same schedules is remembered together with the results of earlier searches, because it is evaluated
 * repeatedly.
 *
 * @param created when each keeper was created; before that, it does not count
 * @param closedBefore whether the gate was closed before it had a keeper
 */
export function closedTogether(
  compiled: readonly CompiledKeeper[],
  verdicts: readonly Verdict[],
  created: readonly number[],
  closedBefore: boolean,
): Timeline {
  const [first] = compiled;
  const isFixed = compiled.every(({ schedule }) => schedule !== undefined);
  if (first === undefined || !isFixed) return unite(verdicts, created, closedBefore);
  const last = known.get(first);
  if (
    last?.closedBefore === closedBefore &&
    sameItems(last.compiled, compiled) &&
    sameItems(last.created, created)
  )
    return last.timeline;
  const timeline = remembered(unite(verdicts, created, closedBefore));
  known.set(first, { compiled, created, closedBefore, timeline });
  return timeline;
}

function unite(verdicts: readonly Verdict[], created: readonly number[], closedBefore: boolean): Timeline {
  const first = Math.min(...created);
  const before = closedBefore && first > -Infinity ? [interval(-Infinity, first)] : [];
  const closed = verdicts.map((verdict, index) => {
    const from = created[index] ?? -Infinity;
    return from === -Infinity ? verdict.closed : allOf([verdict.closed, interval(from, Infinity)]);
  });
  return anyOf([...before, ...closed]);
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
