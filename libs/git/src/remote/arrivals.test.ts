import { beforeEach, describe, expect, test } from '@jest/globals';
import { EntryBudget } from '../objects/entry-budget.js';
import { Arrivals } from './arrivals.js';

let generation: number;
let budget: EntryBudget;
let arrivals: Arrivals;

beforeEach(() => {
  generation = 1;
  budget = new EntryBudget(100);
  arrivals = new Arrivals(budget.map(), () => generation);
});

describe('commits of a mirror', () => {
  test('are recorded when they are found or fetched, until the mirror is recreated', () => {
    arrivals.found('a');
    arrivals.fetched(['b', 'c'], () => true);
    expect(['a', 'b', 'c', 'd'].map((sha) => arrivals.has(sha))).toEqual([true, true, true, false]);
    generation = 2;
    expect(arrivals.has('a')).toBe(false);
  });

  test('arrived before the commits that a later fetch added for the first time', () => {
    arrivals.found('a');
    arrivals.fetched(['b', 'c'], () => true);
    arrivals.fetched(['d'], () => true);
    expect(arrivals.cameBefore('a', 'b')).toBe(true);
    expect(arrivals.cameBefore('b', 'd')).toBe(true);
    expect(arrivals.cameBefore('b', 'c')).toBe(false);
    expect(arrivals.cameBefore('d', 'b')).toBe(false);
    expect(arrivals.cameBefore('b', 'b')).toBe(false);
  });

  test('did not arrive before commits that were already part of another history', () => {
    arrivals.fetched(['a'], () => true);
    arrivals.fetched(['b', 'c'], (sha) => sha === 'c');
    arrivals.found('d');
    expect(arrivals.cameBefore('a', 'b')).toBe(false);
    expect(arrivals.cameBefore('a', 'c')).toBe(true);
    expect(arrivals.cameBefore('a', 'd')).toBe(false);
  });

  test('have no known order when one of them is forgotten or is from another mirror', () => {
    arrivals.fetched(['a'], () => true);
    generation = 2;
    arrivals.fetched(['b'], () => true);
    expect(arrivals.cameBefore('a', 'b')).toBe(false);
    expect(arrivals.cameBefore('x', 'b')).toBe(false);
    expect(arrivals.cameBefore('b', 'x')).toBe(false);
    arrivals.clear();
    expect(arrivals.has('b')).toBe(false);
    expect(budget.entries).toBe(0);
  });
});
