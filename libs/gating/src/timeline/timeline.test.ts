import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { civilOf, dayNumberOf, weekdayOf } from '../schedule/civil.js';
import { intervals } from './intervals.js';
import { remembered } from './remembered.js';
import { lastChange, nextChange } from './search.js';
import { allOf, anyOf, constant, interval, not, type Timeline } from './timeline.js';

const end = 40;
const times = fc.integer({ min: 0, max: end });
const span = fc.tuple(times, times);

/** A timeline, and a list of its values at each instant. */
interface Model {
  timeline: Timeline;
  values: boolean[];
}

const valuesOf = (at: (t: number) => boolean) => Array.from({ length: end + 1 }, (_, t) => at(t));
const within = (spans: [number, number][]) =>
  valuesOf((t) => spans.some(([from, to]) => t >= from && t < to));

const leaf: fc.Arbitrary<Model> = fc.oneof(
  span.map(([from, to]) => ({ timeline: interval(from, to), values: within([[from, to]]) })),
  fc.array(span, { maxLength: 5 }).map((spans) => ({ timeline: intervals(spans), values: within(spans) })),
  fc.boolean().map((value) => ({ timeline: constant(value), values: valuesOf(() => value) })),
);

const { tree } = fc.letrec<{ tree: Model }>((tie) => {
  const some = fc.array(tie('tree'), { minLength: 1, maxLength: 3 });
  return {
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      some.map((parts) => ({
        timeline: anyOf(parts.map(({ timeline }) => timeline)),
        values: valuesOf((t) => parts.some(({ values }) => values[t])),
      })),
      some.map((parts) => ({
        timeline: allOf(parts.map(({ timeline }) => timeline)),
        values: valuesOf((t) => parts.every(({ values }) => values[t])),
      })),
      tie('tree').map(({ timeline, values }) => ({
        timeline: not(timeline),
        values: values.map((one) => !one),
      })),
      tie('tree').map(({ timeline, values }) => ({ timeline: remembered(timeline), values })),
    ),
  };
});

const untilOf = (values: boolean[], t: number, limit: number) => {
  const found = values.findIndex((value, at) => at > t && value !== values[t]);
  return found < 0 ? limit : Math.min(found, limit);
};
const sinceOf = (values: boolean[], t: number, limit: number) =>
  Math.max(limit, values.findLastIndex((value, at) => at < t && value !== values[t]) + 1);

test('combines timelines at each instant, and finds the ends of each run', () => {
  const questions = fc.array(fc.tuple(times, times), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(tree, questions, ({ timeline, values }, asked) => {
      for (const [a, b] of asked) {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(timeline.at(low)).toBe(values[low]);
        expect(timeline.until(low, high)).toBe(untilOf(values, low, high));
        expect(timeline.since(high, low)).toBe(sinceOf(values, high, low));
      }
    }),
    { numRuns: 500 },
  );
});

test('reports whether a search found a change', () => {
  const timeline = interval(10, 20);
  expect(nextChange(timeline, 5, 100)).toEqual({ at: 10, isChange: true });
  expect(nextChange(timeline, 20, 100)).toEqual({ at: 100, isChange: false });
  expect(lastChange(timeline, 30, 0)).toEqual({ at: 20, isChange: true });
  expect(lastChange(timeline, 9, 0)).toEqual({ at: 0, isChange: false });
});

test('stops a search over a run that never ends', () => {
  const days = [0, 1, 2];
  const tenYears = 3653 * 86_400_000;
  /* Each is true in two of three minutes, so together they are always true; only a check of each minute can detect
     that. */
  const minuteMs = 60_000;
  const turning = days.map((part): Timeline => {
    const turn = (t: number) => (Math.floor(t / minuteMs) - part + 3) % 3;
    const begin = (t: number) => Math.floor(t / minuteMs) * minuteMs;
    return {
      at: (t) => turn(t) !== 0,
      until: (t, limit) => Math.min(limit, begin(t) + (turn(t) === 1 ? 2 : 1) * minuteMs),
      since: (_t, limit) => limit,
    };
  });
  const found = nextChange(anyOf(turning), 0, tenYears);
  expect(found.isChange).toBe(false);
  expect(found.at).toBeLessThan(tenYears);
});

test('stops a search over many timelines, of which each step evaluates most', () => {
  let evaluations = 0;
  const minuteMs = 60_000;
  const parts = 50;
  const hour = parts * minuteMs;
  /* Each is true in one minute of an hour, so together they are always true. */
  const each = Array.from({ length: parts }, (_, part): Timeline => {
    const begin = (t: number) => Math.floor(t / minuteMs) * minuteMs;
    return {
      at: (t) => {
        evaluations += 1;
        return Math.floor((t % hour) / minuteMs) === part;
      },
      until: (t, limit) => Math.min(limit, begin(t) + minuteMs),
      since: (t, limit) => Math.max(limit, begin(t)),
    };
  });
  const tenYears = 3653 * 86_400_000;
  expect(nextChange(anyOf(each), 0, tenYears).isChange).toBe(false);
  expect(lastChange(anyOf(each), tenYears, 0).isChange).toBe(false);
  expect(evaluations).toBeLessThan(1_000_000);
});

test('returns the same result of a search whatever was searched before', () => {
  const open = Array.from({ length: 10 }, (_, index) => interval(index * 2, index * 2 + 3));
  const effort = { steps: 0 };
  expect(anyOf(open).until(0, 100, effort)).toBe(21);
  expect(effort.steps).toBeGreaterThan(10);
  const again = { steps: 0 };
  expect(not(remembered(anyOf(open))).until(0, 100, again)).toBe(21);
  expect(again).toEqual(effort);
  expect(nextChange(anyOf(open), 0, 100)).toEqual({ at: 21, isChange: true });
  expect(nextChange(anyOf(open), 0, 100)).toEqual({ at: 21, isChange: true });
});

test('computes the same dates as the platform', () => {
  fc.assert(
    fc.property(fc.integer({ min: -200_000, max: 200_000 }), (dayNumber) => {
      const date = new Date(dayNumber * 86_400_000);
      const civil = civilOf(dayNumber);
      expect(civil).toEqual({
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
      });
      expect(dayNumberOf(civil.year, civil.month, civil.day)).toBe(dayNumber);
      expect(weekdayOf(dayNumber)).toBe(date.getUTCDay());
    }),
  );
});
