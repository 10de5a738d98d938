import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Cidr, IpAddress } from './ip.js';

describe('addresses', () => {
  test.each([
    ['10.0.0.1', 4, 0x0a000001n],
    ['::1', 6, 1n],
    ['2001:db8::ff00:42:8329', 6, 0x20010db8000000000000ff0000428329n],
    ['64:ff9b::1.2.3.4', 6, 0x64ff9b000000000000000001020304n],
    ['::', 6, 0n],
  ])('%s is an address', (text, family, bits) => {
    expect(IpAddress.parse(text)).toMatchObject({ family, bits });
  });

  test.each(['1.2.3', '1.2.3.256', 'fe80::1%eth0', '::ffff:1.2.3.4', 'x'])('%s is not an address', (text) => {
    expect(IpAddress.parse(text)).toBeUndefined();
  });

  test('an address is in each block of its prefix', () => {
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
