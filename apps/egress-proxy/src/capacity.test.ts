import { expect, it } from '@jest/globals';
import { heldBytesFor, tunnelsFor, tunnelsForDescriptors } from './capacity.js';

const mebibyte = 1024 * 1024;

it.each([
  [64 * mebibyte, 'tls', 128],
  [64 * mebibyte, 'sockets', 230],
  [64 * mebibyte, 'handles', 1024],
  [256 * mebibyte, 'tls', 810],
  [16 * mebibyte, 'tls', 64],
  [0, 'tls', 5000],
  [undefined, 'handles', 5000],
  [2 ** 63, 'sockets', 5000],
] as const)(
  'derives, from a memory limit of %s bytes, the number of tunnels with %s: %i',
  (limit, kind, count) => {
    expect(tunnelsFor(limit, kind)).toBe(count);
  },
);

it.each([
  [64 * mebibyte, 16 * mebibyte],
  [undefined, 256 * mebibyte],
  [0, 256 * mebibyte],
  [2 ** 63, 256 * mebibyte],
])('derives from a limit of %s bytes how many may wait for slow readers: %i', (limit, bytes) => {
  expect(heldBytesFor(limit)).toBe(bytes);
});

it.each([
  [undefined, Infinity],
  [20_000, 9_900],
  [1024, 412],
  [100, 1],
])('derives from a limit of %s open files the number of tunnels: %d', (limit, count) => {
  expect(tunnelsForDescriptors(limit)).toBe(count);
});
