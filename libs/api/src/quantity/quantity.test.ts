import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Quantity, quantityOf, quantityProblem } from './quantity.js';

describe('Quantity', () => {
  it.each([
    ['1', 1_000_000_000n],
    ['1.5', 1_500_000_000n],
    ['.5', 500_000_000n],
    ['100m', 100_000_000n],
    ['-2k', -2_000_000_000_000n],
    ['1Ki', 1_024_000_000_000n],
    ['1e3', 1_000_000_000_000n],
    ['1n', 1n],
    ['0.1n', 1n],
  ])('parses %s', (text, nanos) => {
    expect(Quantity.parse(text)?.nanos).toBe(nanos);
  });

  it.each(['', 'x', '1x', '1 Gi', '1KI', '--1', '1e999'])('does not parse %p', (text) => {
    expect(Quantity.parse(text)).toBeUndefined();
  });

  it.each([
    ['0', '0'],
    ['0.0Gi', '0'],
    ['1000m', '1'],
    ['1.5', '1500m'],
    ['0.1', '100m'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1.5M', '1500k'],
    ['1e3', '1e3'],
    ['12e5', '1200e3'],
    ['10e-1', '1'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1000Ki', '1000Ki'],
    ['0.0001Ki', '102400u'],
    ['-1500m', '-1500m'],
    ['5E', '5E'],
  ])('writes %s as %s', (text, canonical) => {
    expect(Quantity.parse(text)?.toString()).toBe(canonical);
  });

  it.each([
    ['1Gi', '1Gi', '2Gi'],
    ['0', '1Gi', '1Gi'],
    ['1Gi', '1', '1073741825'],
    ['500m', '0.5', '1'],
    ['1G', '1Gi', '2073741824'],
  ])('adds %s and %s exactly in the units of the first', (a, b, sum) => {
    const parse = (text: string): Quantity => Quantity.parse(text) ?? Quantity.of(-1);
    expect(parse(a).add(parse(b)).toString()).toBe(sum);
  });

  it('accepts numbers and strings of JSON, and no other values', () => {
    expect([1, 0.1, '2Gi', true, null, {}].map((value) => quantityOf(value)?.toString())).toEqual([
      '1',
      '100m',
      '2Gi',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['1mm', "unable to parse quantity's suffix"],
    ['', /^quantities must match/],
    ['lots', /^quantities must match/],
  ])('reports what is wrong with %p', (text, problem) => {
    expect(quantityProblem(text)).toMatch(problem);
  });

  it('keeps its value when it is written in canonical form', () => {
    const units = fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3', 'e-2');
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 9n), units, (number, unit) => {
        const quantity = Quantity.parse(`${number}${unit}`);
        const again = Quantity.parse(quantity?.toString() ?? '');
        expect(again?.nanos).toBe(quantity?.nanos);
        expect(again?.toString()).toBe(quantity?.toString());
      }),
    );
  });

  it('is ordered like the numbers', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 12n), 10n ** 12n), fc.bigInt(-(10n ** 12n), 10n ** 12n), (a, b) => {
        const compared = Quantity.parse(`${a}m`)?.compareTo(Quantity.parse(`${b}m`) ?? new Quantity(0n));
        expect(compared).toBe(a === b ? 0n : a < b ? -1n : 1n);
      }),
    );
  });
});

it('refuses a very long number, which would be slow to parse', () => {
  expect(Quantity.parse('1'.repeat(256))).toBeDefined();
  expect(Quantity.parse('1'.repeat(257))).toBeUndefined();
});
