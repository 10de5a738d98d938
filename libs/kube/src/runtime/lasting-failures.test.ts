import { describe, expect, it } from '@jest/globals';
import { LastingFailures } from './lasting-failures.js';

describe('LastingFailures', () => {
  it('reports a failure as lasting after a minute without success', () => {
    const failures = new LastingFailures();
    expect(failures.record('a', {}, 0)).toBe(false);
    expect(failures.record('a', {}, 59_999)).toBe(false);
    expect(failures.record('a', {}, 60_000)).toBe(true);
    expect(failures.record('b', {}, 60_000)).toBe(false);
  });

  it('reports a failure as lasting at once if the error requests a delay of more than a minute', () => {
    const failures = new LastingFailures();
    expect(failures.record('a', { retryAfterMs: 59_999 }, 0)).toBe(false);
    expect(failures.record('b', { retryAfterMs: 35 * 60_000 }, 0)).toBe(true);
  });

  it('starts a new interval after a success', () => {
    const failures = new LastingFailures();
    failures.record('a', {}, 0);
    failures.clear('a');
    expect(failures.record('a', {}, 60_000)).toBe(false);
    expect(failures.record('a', {}, 120_000)).toBe(true);
  });

  it('reports a failure after a minute although the clock was set back meanwhile', () => {
    const failures = new LastingFailures();
    const hour = 3_600_000;
    failures.record('a', {}, 2 * hour);
    expect(failures.record('a', {}, hour)).toBe(false);
    expect(failures.record('a', {}, hour + 60_000)).toBe(true);
  });
});
