import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Check } from '@interlock/api';
import { blockedTimes } from './blocked.js';
import { since } from './checks.js';
import type { CheckLine } from './model.js';

const start = Date.parse('2026-01-01T00:00:00Z');
const line = (state: Check['state'], reason = 'Reason', name = 'lint'): CheckLine => ({
  name,
  state,
  reason,
  message: '',
});
const before = (state: Check['state']) => since([line(state)], undefined, start);
const later = start + 90_000;

describe('the time for which a check blocked a promotion', () => {
  it.each<[string, Check['state'], CheckLine[], number[]]>([
    ['ends when the check allows the promotion', 'pending', [line('success')], [90]],
    ['ends when the check is no longer required', 'failure', [], [90]],
    ['is counted until the reason changes', 'pending', [line('pending', 'Other')], [90]],
    ['lasts while nothing changes', 'pending', [line('pending')], []],
    ['is zero for a check that allowed the promotion', 'success', [line('pending')], []],
  ])('%s', (_case, state, lines, seconds) => {
    const known = before(state);
    const times = blockedTimes(known, since(lines, known, later), later);
    expect(times).toEqual(seconds.map((time) => ({ check: 'lint', seconds: time })));
  });

  it('is zero at first', () => {
    expect(blockedTimes(undefined, before('pending'), start)).toEqual([]);
  });

  it('adds up to the whole time, whatever happens in between', () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 100_000 }),
      state: fc.constantFrom<Check['state'][]>('pending', 'failure'),
      reason: fc.constantFrom('A', 'B'),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), (steps) => {
        let now = start;
        let checks: Check[] | undefined;
        let seconds = 0;
        const move = (lines: CheckLine[]): void => {
          const after = since(lines, checks, now);
          seconds += blockedTimes(checks, after, now).reduce((sum, time) => sum + time.seconds, 0);
          checks = after;
        };
        for (const { waitMs, state, reason } of steps) {
          move([line(state, reason)]);
          now += waitMs;
        }
        move([]);
        expect(seconds).toBe(Math.floor((now - start) / 1000));
      }),
    );
  });
});
