import { expect, test } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { Attempt } from '../relay/attempt.js';
import { dialFirst } from './dial.js';

const four = (prefix: string): string[] => [1, 2, 3, 4].map((last) => `${prefix}${last}`);

test.each([
  ['IPv6 first', [...four('2606:50c0::'), ...four('140.82.112.')], '2606:50c0::1', '140.82.112.1'],
  ['IPv4 first', ['140.82.112.1', '140.82.112.2', '2606:50c0::1'], '140.82.112.1', '2606:50c0::1'],
  ['one of IPv6', ['2606:50c0::1', ...four('140.82.112.')], '2606:50c0::1', '140.82.112.1'],
  ['only IPv4', four('140.82.112.'), '140.82.112.1', '140.82.112.2'],
])('both families of a host are tried in turn: %s', async (_title, addresses, ...firstTwo) => {
  const dialled: string[] = [];
  const dial = (address: string): Promise<never> => {
    dialled.push(address);
    return Promise.reject(new Error('no route'));
  };
  const target = { addresses, port: 443 };
  await expect(dialFirst(dial, new FakeClock(), target, new Attempt())).rejects.toThrow('no route');
  expect(dialled.slice(0, 2)).toEqual(firstTwo);
  expect(new Set(dialled).size).toBe(Math.min(4, addresses.length));
});
