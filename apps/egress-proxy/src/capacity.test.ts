import { expect, it } from '@jest/globals';
import { tunnelsFor } from './capacity.js';

const mebibyte = 1024 * 1024;

it.each([
  [64 * mebibyte, 'tls', 400],
  [64 * mebibyte, 'sockets', 1316],
  [64 * mebibyte, 'handles', 3072],
  [256 * mebibyte, 'tls', 2537],
  [16 * mebibyte, 'tls', 64],
  [0, 'tls', 5000],
  [undefined, 'handles', 5000],
  [2 ** 63, 'sockets', 5000],
] as const)('derives from a limit of %s bytes the number of tunnels of %s: %i', (limit, kind, count) => {
  expect(tunnelsFor(limit, kind)).toBe(count);
});
