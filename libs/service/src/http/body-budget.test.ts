import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BodyBudget, type BodyAllowance } from './body-budget.js';

const limits = { requests: 8, bytes: 400 };

/** Admits a request whose body has arrived. */
function received(budget: BodyBudget, tenant?: string, isKept = true): BodyAllowance | undefined {
  const allowance = budget.enter(tenant, isKept);
  allowance?.received();
  return allowance;
}

describe('a budget of bodies', () => {
  test('refuses requests beyond the total limit, and accepts another request when one has left', () => {
    const budget = new BodyBudget(limits);
    const entered = Array.from({ length: 8 }, () => received(budget));
    expect(entered).not.toContain(undefined);
    expect(budget.enter(undefined, true)).toBeUndefined();
    entered[3]?.leave();
    expect(budget.enter(undefined, true)).toBeDefined();
  });

  test('reserves three quarters of the budget for other tenants, whatever one tenant sends', () => {
    const budget = new BodyBudget(limits);
    expect([1, 2, 3].map(() => received(budget, 'greedy') !== undefined)).toEqual([true, true, false]);
    const other = budget.enter('other', true);
    expect(other?.take(101)).toBe(false);
    expect(other?.take(100)).toBe(true);
    expect(budget.enter(undefined, true)?.take(300)).toBe(true);
  });

  test('applies the same limits to a tenant whose bodies are dropped, without charging other tenants', () => {
    const budget = new BodyBudget(limits);
    const dropped = [received(budget, 'unknown', false), received(budget, 'unknown', false)];
    expect(budget.enter('unknown', false)).toBeUndefined();
    expect(dropped[0]?.take(101)).toBe(false);
    expect(dropped[0]?.take(100)).toBe(true);
    expect(budget.heldBytes).toBe(0);
  });

  test('gives the place of the body that has been arriving for the longest time to a request that does not fit', () => {
    const budget = new BodyBudget(limits);
    const [complete, oldest, other] = [received(budget), budget.enter('a', true), budget.enter('b', true)];
    for (let count = 3; count < limits.requests; count++) received(budget);
    const next = budget.enter('c', true);
    expect([complete, oldest, other].map((one) => one?.displaced.aborted)).toEqual([false, true, false]);
    expect(other?.take(100)).toBe(true);
    expect(complete?.take(250)).toBe(true);
    expect(next?.take(100)).toBe(true);
    expect(other?.displaced.aborted).toBe(true);
    expect(budget.heldBytes).toBe(350);
  });

  test('displaces only requests that use the exhausted part of the budget, and none that is newer', () => {
    const budget = new BodyBudget(limits);
    const other = budget.enter('other', true);
    const [first, second] = [budget.enter('greedy', true), budget.enter('greedy', true)];
    expect(first?.take(60)).toBe(true);
    expect(second?.take(40)).toBe(true);
    expect(first?.take(1)).toBe(false);
    expect(second?.take(1)).toBe(true);
    expect([other, first, second].map((one) => one?.displaced.aborted)).toEqual([false, true, false]);
  });

  test('applies the share of a tenant whose only request was displaced', () => {
    const budget = new BodyBudget({ requests: 4, bytes: 400 });
    const sent = [1, 2, 3].map(() => budget.enter('greedy', true));
    expect(sent.map((one) => one?.displaced.aborted)).toEqual([true, true, false]);
  });

  test('accepts no more bytes for a request whose client has disconnected', () => {
    const budget = new BodyBudget(limits);
    const allowance = budget.enter('team', true);
    allowance?.leave();
    allowance?.leave();
    expect(allowance?.take(1)).toBe(false);
    expect(budget.heldBytes).toBe(0);
  });

  test('never exceeds its limits, and holds nothing when all requests have left', () => {
    const step = fc.record({
      tenant: fc.constantFrom(undefined, 'a', 'b', 'c', 'd', 'e'),
      isKept: fc.boolean(),
      bytes: fc.nat(200),
      leaves: fc.nat(10),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new BodyBudget(limits);
        const inside: BodyAllowance[] = [];
        for (const { tenant, isKept, bytes, leaves } of steps) {
          const allowance = budget.enter(tenant, isKept);
          if (allowance !== undefined) inside.push(allowance);
          inside.at(-1)?.take(bytes);
          expect(budget.heldBytes).toBeLessThanOrEqual(limits.bytes);
          inside.splice(leaves, 1).forEach((one) => one.leave());
        }
        inside.forEach((one) => one.leave());
        expect(budget.heldBytes).toBe(0);
        for (let count = 0; count < limits.requests; count++)
          expect(budget.enter(undefined, true)).toBeDefined();
      }),
    );
  });
});
