import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EntryBudget } from './entry-budget.js';

test('drops the least recently used entry of the least recently used map first', () => {
  const budget = new EntryBudget(4);
  const [one, two] = [budget.map<number>(), budget.map<number>()];
  one.set('a', 1);
  one.set('b', 2);
  two.set('c', 3);
  two.set('d', 4);
  expect(one.get('a')).toBe(1);
  two.set('e', 5);
  expect([one.get('b'), one.get('a'), budget.entries]).toEqual([undefined, 1, 4]);
  expect(two.values()).toEqual([3, 4, 5]);
});

test('releases the space of a cleared map', () => {
  const budget = new EntryBudget(2);
  const [one, two] = [budget.map<number>(), budget.map<number>()];
  one.set('a', 1);
  one.set('b', 2);
  one.clear();
  two.set('c', 3);
  two.set('d', 4);
  expect([one.size, two.size, budget.entries]).toEqual([0, 2, 2]);
});

test('never exceeds the budget, and returns the last value of each key', () => {
  const step = fc.record({
    map: fc.nat(3),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    value: fc.nat(),
    kind: fc.constantFrom('set', 'set', 'set', 'get', 'delete', 'clear'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new EntryBudget(7);
      const maps = [0, 1, 2, 3].map(() => ({ own: budget.map<number>(), model: new Map<string, number>() }));
      for (const { map, key, value, kind } of steps) {
        const { own, model } = maps[map] ?? { own: budget.map<number>(), model: new Map<string, number>() };
        if (kind === 'set') own.set(key, value);
        if (kind === 'set') model.set(key, value);
        if (kind === 'get') expect([undefined, model.get(key)]).toContain(own.get(key));
        if (kind === 'delete') own.delete(key);
        if (kind === 'delete') model.delete(key);
        if (kind === 'clear') own.clear();
        if (kind === 'clear') model.clear();
        if (kind === 'set') expect(own.get(key)).toBe(value);
        const total = maps.reduce((sum, one) => sum + one.own.size, 0);
        expect(budget.entries).toBe(total);
        expect(total).toBeLessThanOrEqual(7);
      }
    }),
  );
});
