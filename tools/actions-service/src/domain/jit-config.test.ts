import { expect, test } from '@jest/globals';
import { rsaParameters } from './jit-config.js';

const encode = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url');

test('the numbers of a key have the lengths that .NET requires, also those that begin with zeros', () => {
  const key = {
    ...{ n: encode('c1c2c3c4'), e: encode('010001'), d: encode('d2d3d4') },
    ...{ p: encode('e1e2'), q: encode('f1f2'), dp: encode('a2'), dq: encode('b1b2'), qi: encode('c2') },
  };
  const hex = Object.entries(rsaParameters(key)).map(([name, value]) => [
    name,
    Buffer.from(value, 'base64').toString('hex'),
  ]);
  expect(Object.fromEntries(hex)).toEqual({
    ...{ modulus: 'c1c2c3c4', exponent: '010001', d: '00d2d3d4' },
    ...{ p: 'e1e2', q: 'f1f2', dp: '00a2', dq: 'b1b2', inverseQ: '00c2' },
  });
});
