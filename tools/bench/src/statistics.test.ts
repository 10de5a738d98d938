import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { median, quantile, summaryOf } from './statistics.js';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

describe('the median', () => {
  it.each<[number[], number]>([
    [[7], 7],
    [[3, 1], 2],
    [[5, 1, 100], 5],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (samples, expected) => {
    expect(median(samples)).toBe(expected);
  });

  it('cannot be computed without samples', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('a quantile', () => {
  it.each<[number, number]>([
    [0, 1],
    [0.5, 50],
    [0.99, 99],
    [0.991, 100],
    [1, 100],
  ])('of %d of the numbers 1 to 100 is %d', (p, expected) => {
    expect(quantile(hundred, p)).toBe(expected);
  });

  it('is a sample that at least the share p of the samples does not exceed', () => {
    const samples = fc.array(fc.integer(), { minLength: 1 });
    fc.assert(
      fc.property(samples, fc.double({ min: 0, max: 1, noNaN: true }), (values, p) => {
        const found = quantile(values, p);
        expect(values).toContain(found);
        expect(values.filter((value) => value <= found).length).toBeGreaterThanOrEqual(p * values.length);
      }),
    );
  });

  it('cannot be computed without samples', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});

describe('a summary', () => {
  it('has the median, the 99th percentile and the largest sample', () => {
    expect(summaryOf(hundred)).toEqual({ median: 50.5, p99: 99, most: 100 });
  });

  it('cannot be computed without samples', () => {
    expect(() => summaryOf([])).toThrow(RangeError);
  });
});
