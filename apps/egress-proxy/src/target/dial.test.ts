import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { Attempt } from '../relay/attempt.js';
import { SocketConnection } from '../relay/sockets/socket-connection.js';
import { dialFirst, type DialedTarget } from './dial.js';

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

test('an address that does not answer delays the next one by 250 ms', async () => {
  const { dials, result, clock } = dialTwo();
  await clock.advance(249);
  expect([...dials.keys()]).toEqual(['2606:50c0::1']);
  await clock.advance(1);
  const connection = connected();
  dials.get('140.82.112.1')?.resolve(connection);
  expect(await result).toEqual({ connection, address: '140.82.112.1' });
  expect(dials.get('2606:50c0::1')?.attempt.isGivenUp).toBe(true);
  expect(clock.pendingTimers).toBe(0);
});

test('an attempt that fails starts the next one at once, and does not end a later one', async () => {
  const { dials, result, clock } = dialTwo();
  dials.get('2606:50c0::1')?.reject(new Error('no route'));
  await clock.advance(0);
  const connection = connected();
  dials.get('140.82.112.1')?.resolve(connection);
  expect(await result).toEqual({ connection, address: '140.82.112.1' });
});

test('a connection that is established too late is closed', async () => {
  const { dials, result, clock } = dialTwo();
  await clock.advance(250);
  const [winner, loser] = [connected(), connected()];
  dials.get('2606:50c0::1')?.resolve(winner);
  dials.get('140.82.112.1')?.resolve(loser);
  expect((await result).connection).toBe(winner);
  expect([winner.isClosed, loser.isClosed]).toEqual([false, true]);
});

test('all attempts end when the work is given up, and no other one starts', async () => {
  const { dials, result, clock, whole } = dialTwo(['2606:50c0::1', '140.82.112.1', '2606:50c0::2']);
  await clock.advance(250);
  whole.giveUp();
  await expect(result).rejects.toThrow('given up');
  expect([...dials.keys()]).toEqual(['2606:50c0::1', '140.82.112.1']);
  expect(clock.pendingTimers).toBe(0);
});

interface Dialling {
  attempt: Attempt;
  resolve: (connection: SocketConnection) => void;
  reject: (error: Error) => void;
}

function dialTwo(addresses: readonly string[] = ['2606:50c0::1', '140.82.112.1']): {
  dials: Map<string, Dialling>;
  result: Promise<DialedTarget>;
  clock: FakeClock;
  whole: Attempt;
} {
  const dials = new Map<string, Dialling>();
  const dial = (address: string, _port: number, attempt: Attempt): Promise<SocketConnection> =>
    new Promise((resolve, reject) => {
      dials.set(address, { attempt, resolve, reject });
      attempt.whenGivenUp(() => reject(new Error('given up')));
    });
  const [clock, whole] = [new FakeClock(), new Attempt()];
  return { dials, result: dialFirst(dial, clock, { addresses, port: 443 }, whole), clock, whole };
}

function connected(): SocketConnection {
  return new SocketConnection(new Socket());
}
