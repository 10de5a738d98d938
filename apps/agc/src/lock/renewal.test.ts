import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isExpired, lockDuration, renewalDelay } from './renewal.js';

const minute = 60_000;
const random = fc.double({ min: 0, max: 0.999, noNaN: true });

describe('lockDuration', () => {
  it.each([
    ['is what the service states', 5 * minute, 5 * minute],
    ['is what the service states, even for a lock of seconds', 20_000, 20_000],
    ['is ten minutes where the clocks differ', -3 * 60 * minute, 10 * minute],
    ['is never longer than the service documents', 24 * 60 * minute, 10 * minute],
  ])('%s', (_title, stated, expected) => {
    expect(lockDuration(1_000_000_000 + stated, 1_000_000_000)).toBe(expected);
  });
});

describe('renewalDelay', () => {
  it('is zero before the first renewal', () => {
    expect(renewalDelay({ renewedAt: undefined, expiresAt: 600_000, failures: 0 }, 0, 0.5)).toBe(0);
  });

  it('is at most a minute, and at most a third of the time until the lock expires', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600_000 }), random, (left, jitter) => {
        const delayMs = renewalDelay({ renewedAt: 0, expiresAt: left, failures: 0 }, 0, jitter);
        expect(delayMs).toBeLessThanOrEqual(Math.min(minute, left / 3));
      }),
    );
  });

  it('allows thirty attempts in a lock while renewals fail', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), random, (failures, jitter) => {
        const delayMs = renewalDelay({ renewedAt: 0, expiresAt: 600_000, failures }, 0, jitter);
        expect(delayMs).toBeGreaterThanOrEqual(1_000);
        expect(delayMs).toBeLessThanOrEqual(15_000);
      }),
    );
  });
});

describe('isExpired', () => {
  it('is true when a lock ended more than five minutes ago', () => {
    const state = { renewedAt: 0, expiresAt: 600_000, failures: 9 };
    expect(isExpired(state, 600_000 + 5 * minute)).toBe(false);
    expect(isExpired(state, 600_001 + 5 * minute)).toBe(true);
  });
});
