import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Cidr, IpAddress } from './ip.js';
import { Quantity } from './quantity.js';

describe('quantities', () => {
  test.each([
    ['1', 1_000_000_000n],
    ['1.5', 1_500_000_000n],
    ['.5', 500_000_000n],
    ['100m', 100_000_000n],
    ['-2k', -2_000_000_000_000n],
    ['1Ki', 1_024_000_000_000n],
    ['1e3', 1_000_000_000_000n],
    ['1n', 1n],
    ['0.1n', 1n],
  ])('%s', (text, nanos) => {
    expect(Quantity.parse(text)?.nanos).toBe(nanos);
  });

  test.each(['', 'x', '1x', '1 Gi', '1KI', '--1', '1e999'])('%p is none', (text) => {
    expect(Quantity.parse(text)).toBeUndefined();
  });

  test('order follows the numbers', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 12n), 10n ** 12n), fc.bigInt(-(10n ** 12n), 10n ** 12n), (a, b) => {
        const compared = Quantity.parse(`${a}m`)?.compareTo(Quantity.parse(`${b}m`) ?? new Quantity(0n));
        expect(compared).toBe(a === b ? 0n : a < b ? -1n : 1n);
      }),
    );
  });
});

describe('addresses', () => {
  test.each([
    ['10.0.0.1', 4, 0x0a000001n],
    ['::1', 6, 1n],
    ['2001:db8::ff00:42:8329', 6, 0x20010db8000000000000ff0000428329n],
    ['64:ff9b::1.2.3.4', 6, 0x64ff9b000000000000000001020304n],
    ['::', 6, 0n],
  ])('%s', (text, family, bits) => {
    expect(IpAddress.parse(text)).toMatchObject({ family, bits });
  });

  test.each(['1.2.3', '1.2.3.256', 'fe80::1%eth0', '::ffff:1.2.3.4', 'x'])('%s is none', (text) => {
    expect(IpAddress.parse(text)).toBeUndefined();
  });

  test('an address is in every block that begins with it', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (text, length) => {
        const ip = IpAddress.parse(text);
        const block = Cidr.parse(`${text}/${length}`);
        expect(ip !== undefined && block?.containsIp(ip)).toBe(true);
      }),
    );
  });

  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/08', 'x/8'])('%s is not a block', (text) => {
    expect(Cidr.parse(text)).toBeUndefined();
  });
});
