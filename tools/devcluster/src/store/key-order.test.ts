import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Entry } from './entry.js';
import { KeyOrder } from './key-order.js';

const entry = (key: string, revision = 0): Entry =>
  new Entry('things', key, revision, { apiVersion: 'v1', kind: 'Thing', metadata: { name: key } });

describe('KeyOrder', () => {
  it('lists the current entries in the order of their keys after any changes', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.record({ key, isGone: fc.boolean(), lists: fc.boolean() });
    fc.assert(
      fc.property(fc.uniqueArray(key), fc.array(step), (first, steps) => {
        const present = new Map(first.map((one) => [one, entry(one)]));
        const order = new KeyOrder(present.values());
        for (const [revision, { key: changed, isGone, lists }] of steps.entries()) {
          const next = isGone ? undefined : entry(changed, revision);
          order.change(changed, next);
          if (next === undefined) present.delete(changed);
          else present.set(changed, next);
          if (lists) expect(order.list()).toEqual([...present].sort().map(([, one]) => one));
        }
        expect(order.list()).toEqual([...present].sort().map(([, one]) => one));
      }),
    );
  });

  it('does not change a returned list after a change', () => {
    const order = new KeyOrder([entry('b'), entry('a')]);
    const before = order.list();
    order.change('c', entry('c'));
    order.change('a', undefined);
    expect([before, order.list()].map((list) => list.map(({ key }) => key))).toEqual([
      ['a', 'b'],
      ['b', 'c'],
    ]);
  });

  it('returns the same list without a change', () => {
    const order = new KeyOrder([entry('a')]);
    expect(order.list()).toBe(order.list());
  });

  it('reports that it is not worth keeping after many changes', () => {
    const order = new KeyOrder([]);
    const worth = Array.from({ length: 101 }, (_, index) => order.change(String(index), undefined));
    expect([worth[99], worth[100]]).toEqual([true, false]);
  });
});
