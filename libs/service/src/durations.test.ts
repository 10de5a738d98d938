import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration, parseDuration } from './durations.js';

describe('parseDuration', () => {
  // Go's own table (time_test.go: parseDurationTests) names these forms.
  test.each([
    ['0', 0],
    ['-0', 0],
    ['5s', 5_000],
    ['30s', 30_000],
    ['1478s', 1_478_000],
    ['-5s', -5_000],
    ['+5s', 5_000],
    ['5.0s', 5_000],
    ['5.6s', 5_600],
    ['5.s', 5_000],
    ['.5s', 500],
    ['100.00100s', 100_001],
    ['10ns', 0.00001],
    ['11us', 0.011],
    ['12\u00b5s', 0.012],
    ['12\u03bcs', 0.012],
    ['13ms', 13],
    ['15m', 900_000],
    ['16h', 57_600_000],
    ['3h30m', 12_600_000],
    ['10.5s4m', 250_500],
    ['1h2m3s4ms5us6ns', 3_723_004.005006],
    ['0.3333333333333333333h', 1_200_000],
    ['0.100000000000000000000h', 360_000],
  ])('parses %s as %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 5);
  });

  test.each([
    ['', 'is not a duration'],
    ['3', 'has no unit'],
    ['1.5', 'has no unit'],
    ['-', 'is not a duration'],
    ['s', 'is not a duration'],
    ['.', 'has no unit'],
    ['.s', 'is not a duration'],
    ['1d', 'unknown unit \\"d\\"'],
    ['1 s', 'unknown unit'],
    ['1h 30m', 'unknown unit'],
    ['--5s', 'is not a duration'],
    ['1h5', 'is not a duration'],
    ['1constructor', 'unknown unit'],
    ['3000000h', 'longer than'],
    ['9'.repeat(101) + 's', 'is not a duration'],
  ])('refuses %j', (text, problem) => {
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({
        type: 'Invalid',
        reason: 'DurationInvalid',
        message: expect.stringContaining(problem.replaceAll('\\', '')),
      }),
    );
  });
});

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [0.000001, '1ns'],
    [0.0011, '1.1\u00b5s'],
    [2.2, '2.2ms'],
    [3_300, '3.3s'],
    [90_000, '1m30s'],
    [5_400_000, '1h30m0s'],
    [245_000, '4m5s'],
    [245_001, '4m5.001s'],
    [-1_500, '-1.5s'],
  ])('formats %d ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test('parses what it formats', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds)) + 0).toBe(milliseconds + 0);
      }),
    );
  });
});
