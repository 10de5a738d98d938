import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { now } from '../sources/testing/builders.js';
import { soak } from './soak.js';

const minute = 60_000;

describe('soak', () => {
  it.each([
    ['10m', 0, 'in_progress', '10m0s left of 10m0s: succeeds at 2026-03-01T12:10:00Z', minute],
    ['10m', 1, 'in_progress', '10m0s left', minute - 1],
    ['10m', minute, 'in_progress', '9m0s left', minute],
    ['10m', 9 * minute, 'in_progress', '1m0s left', minute],
    ['10m', 10 * minute - 1, 'in_progress', '1m0s left', 1],
    ['10m', 10 * minute, 'success', 'for at least 10m0s', undefined],
    ['30s', 0, 'in_progress', '30s left of 30s', 30_000],
    ['90s', 0, 'in_progress', '1m30s left', 30_000],
    ['24h', 0, 'in_progress', '24h0m0s left', 144 * minute],
    ['0s', 0, 'success', 'for at least 0s', undefined],
  ])(
    'returns, for a duration of %s, the phase after %d ms of health',
    (duration, elapsed, phase, message, wakeInMs) => {
      const result = soak(duration, now, now + elapsed);
      expect(result.phase).toBe(phase);
      expect(result.message).toContain('healthy since 2026-03-01T12:00:00Z');
      expect(result.message).toContain(message);
      expect(result.wakeInMs).toBe(wakeInMs);
    },
  );

  it('returns success at the end and not before, wakes at that time, and changes its text at most ten times', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), (seconds) => {
        const duration = `${seconds}s`;
        const end = now + seconds * 1000;
        const texts = new Set<string>();
        let at = now;
        for (
          let wake = soak(duration, now, at);
          wake.wakeInMs !== undefined;
          wake = soak(duration, now, at)
        ) {
          expect(wake.wakeInMs).toBeGreaterThan(0);
          const halfway = soak(duration, now, at + wake.wakeInMs / 2);
          expect(halfway.message).toBe(wake.message);
          texts.add(wake.message);
          at += wake.wakeInMs;
        }
        expect(at).toBe(end);
        expect(texts.size).toBeLessThanOrEqual(10);
        expect(soak(duration, now, end - 1).phase).toBe('in_progress');
      }),
    );
  });
});
