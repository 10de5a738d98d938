import { isIPv4 } from 'node:net';
import { expect, test } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { Attempt } from '../relay/attempt.js';
import { cachingResolver } from './resolver.js';

test('an answer with thousands of addresses is cut, and keeps the first addresses of both families in order', async () => {
  const four = Array.from({ length: 4_000 }, (_, at) => `140.82.${at >> 8}.${at & 255}`);
  const six = Array.from({ length: 2_000 }, (_, at) => `2606:50c0::${at.toString(16)}`);
  const lookup = () => Promise.resolve([...four, ...six]);
  const resolve = cachingResolver({ lookup, clock: new FakeClock() });
  const addresses = await resolve('github.com', '10.0.0.1', new Attempt());
  const count = addresses.filter(isIPv4).length;
  expect([count, addresses.length]).toEqual([32, 64]);
  expect(addresses).toEqual([...four.slice(0, 32), ...six.slice(0, 32)]);
  expect(await resolve('github.com', '10.0.0.1', new Attempt())).toBe(addresses);
});
