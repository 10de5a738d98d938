import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Budget, priorities, type Demand, type Priority } from './budget.js';

const t0 = Date.parse('2026-01-01T00:00:00Z');
const hour = 3_600_000;
const pace = { burst: 5, perSecond: 1 };
const read = (priority: Priority): Demand => ({ priority, mutates: false });
const write = (priority: Priority): Demand => ({ priority, mutates: true });

describe('Budget', () => {
  test('has no limit at first', () => {
    for (const priority of priorities) {
      expect(new Budget(pace).readyAt(read(priority), t0)).toBeLessThanOrEqual(t0);
    }
  });

  test.each<[number, Priority[]]>([
    [1000, ['critical', 'write', 'status', 'text', 'read']],
    [500, ['critical', 'write', 'status', 'text']],
    [400, ['critical', 'write', 'status', 'text']],
    [300, ['critical', 'write', 'status']],
    [250, ['critical', 'write']],
    [100, ['critical']],
    [0, []],
  ])('allows, with %i of 5,000 calls left, the priorities %j', (remaining, open) => {
    const budget = new Budget(pace);
    budget.learn({ limit: 5000, remaining, resetAt: t0 + hour }, t0);
    expect(priorities.filter((priority) => budget.readyAt(read(priority), t0) <= t0)).toEqual(open);
    for (const priority of priorities) {
      expect(budget.readyAt(read(priority), t0 + hour)).toBeLessThanOrEqual(t0 + hour);
    }
  });

  test('counts the calls that start, and uses the lower count inside a window', () => {
    const budget = new Budget(pace);
    budget.learn({ limit: 10, remaining: 2, resetAt: t0 + hour }, t0);
    budget.spend(read('critical'), t0);
    budget.spend(read('critical'), t0);
    budget.learn({ limit: 10, remaining: 1, resetAt: t0 + hour + 900 }, t0);
    expect(budget.readyAt(read('critical'), t0)).toBeGreaterThanOrEqual(t0 + hour);
  });

  test('starts again with a later window, and ignores responses from an earlier window', () => {
    const budget = new Budget(pace);
    budget.learn({ limit: 10, remaining: 0, resetAt: t0 + 1000 }, t0);
    budget.learn({ limit: 10, remaining: 10, resetAt: t0 + hour }, t0);
    expect(budget.readyAt(read('read'), t0)).toBeLessThanOrEqual(t0);
    budget.learn({ limit: 10, remaining: 0, resetAt: t0 + 1000 }, t0);
    expect(budget.readyAt(read('read'), t0)).toBeLessThanOrEqual(t0);
  });

  test('ignores a reset further away than the longest window', () => {
    const budget = new Budget(pace);
    budget.learn({ limit: 10, remaining: 0, resetAt: t0 + 1000 * hour }, t0);
    expect(budget.readyAt(read('critical'), t0)).toBe(t0 + hour);
    expect(new Budget(pace).refused(t0, 1000 * hour)).toBe(hour);
  });

  test('pauses all calls for the stated time', () => {
    const budget = new Budget(pace);
    expect(budget.refused(t0, 7_000)).toBe(7_000);
    for (const priority of priorities) expect(budget.readyAt(read(priority), t0)).toBe(t0 + 7_000);
  });

  test('doubles an unstated pause from a minute to a quarter of an hour, until a call is accepted', () => {
    const budget = new Budget(pace);
    const pauses = Array.from({ length: 6 }, () => budget.refused(t0, undefined));
    expect(pauses).toEqual([60_000, 120_000, 240_000, 480_000, 900_000, 900_000]);
    budget.accepted();
    expect(budget.refused(t0, undefined)).toBe(60_000);
  });

  describe('with a content limit per hour', () => {
    const content = { burst: 1000, perSecond: 1000, contentPerHour: 100 };
    const spent = (count: number): Budget => {
      const budget = new Budget(content);
      for (let n = 0; n < count; n++) budget.spend(write('critical'), t0 + n);
      return budget;
    };

    test.each<[number, Priority[]]>([
      [69, ['critical', 'write', 'status', 'text', 'read']],
      [70, ['critical', 'write', 'status', 'read']],
      [90, ['critical', 'status', 'read']],
      [100, ['status', 'read']],
    ])('allows, after %i of 100 calls, the priorities %j', (count, open) => {
      const budget = spent(count);
      const now = t0 + 1000;
      expect(priorities.filter((priority) => budget.readyAt(write(priority), now) <= now)).toEqual(open);
      expect(budget.readyAt(read('text'), now)).toBeLessThanOrEqual(now);
    });

    test('allows a call when enough of the last hour has passed', () => {
      const budget = spent(100);
      expect(budget.readyAt(write('critical'), t0 + 1000)).toBe(t0 + hour);
      expect(budget.readyAt(write('text'), t0 + 1000)).toBe(t0 + hour + 30);
      expect(budget.readyAt(write('text'), t0 + hour + 30)).toBeLessThanOrEqual(t0 + hour + 30);
    });

    test('never exceeds the limit in any hour, whatever calls are requested', () => {
      const demand = fc.record({
        priority: fc.constantFrom<Priority>('critical', 'write', 'text'),
        afterMs: fc.nat(60_000),
      });
      fc.assert(
        fc.property(fc.array(demand, { maxLength: 400 }), (demands) => {
          const budget = new Budget({ ...content, contentPerHour: 10 });
          const started: number[] = [];
          let now = t0;
          for (const { priority, afterMs } of demands) {
            now += afterMs;
            if (budget.readyAt(write(priority), now) > now) continue;
            budget.spend(write(priority), now);
            started.push(now);
          }
          for (const at of started) {
            expect(started.filter((other) => other >= at && other < at + hour).length).toBeLessThanOrEqual(
              10,
            );
          }
        }),
      );
    });
  });

  test('allows a burst of writes and then paces them, but does not pace merges and reads', () => {
    const budget = new Budget(pace);
    for (let i = 0; i < 5; i++) {
      expect(budget.readyAt(write('status'), t0)).toBeLessThanOrEqual(t0);
      budget.spend(write('status'), t0);
    }
    expect(budget.readyAt(write('status'), t0)).toBe(t0 + 1000);
    expect(budget.readyAt(write('critical'), t0)).toBeLessThanOrEqual(t0);
    expect(budget.readyAt(read('read'), t0)).toBeLessThanOrEqual(t0);
  });

  test('never starts more writes than the burst and the pace allow', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 60 }), (gaps) => {
        const budget = new Budget(pace);
        const starts: number[] = [];
        let now = t0;
        for (const gap of gaps) {
          now = Math.max(now + gap, budget.readyAt(write('write'), now + gap));
          budget.spend(write('write'), now);
          starts.push(now);
        }
        for (const [i, from] of starts.entries()) {
          const inWindow = starts.slice(i).filter((at) => at < from + 10_000).length;
          expect(inWindow).toBeLessThanOrEqual(pace.burst + 10 * pace.perSecond);
        }
      }),
    );
  });

  test('never delays a more urgent call longer than a less urgent call', () => {
    const limit = fc.record({ remaining: fc.nat(5000), reset: fc.nat(2 * hour), pause: fc.nat(60_000) });
    fc.assert(
      fc.property(limit, ({ remaining, reset, pause }) => {
        const budget = new Budget(pace);
        budget.learn({ limit: 5000, remaining, resetAt: t0 + reset }, t0);
        budget.refused(t0, pause);
        const ready = priorities.map((priority) => budget.readyAt(read(priority), t0));
        expect(ready).toEqual([...ready].sort((a, b) => a - b));
      }),
    );
  });
});
