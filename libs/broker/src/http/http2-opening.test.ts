import { expect, test } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@interlock/base/testing';
import { exchange } from '../testing/http.js';
import { PipeSocket } from '../testing/http2-pipe.js';
import type { OpenConnection } from './connector.js';
import type { HttpAnswer } from './exchange.js';
import { settingsFrame } from './http2/frames.js';
import { settingIds } from './http2/peer-settings.js';
import { Http2Origin } from './http2-origin.js';

const url = new URL('https://broker.example/message');

/** Starts calls to an origin whose connections a test controls. */
function start(count: number): {
  sockets: PipeSocket[];
  calls: Promise<HttpAnswer | Error>[];
  origin: Http2Origin;
} {
  const sockets = [new PipeSocket()];
  const connect = (): Promise<OpenConnection> => {
    sockets.push(new PipeSocket());
    return Promise.resolve(sockets.at(-1)!.open());
  };
  const origin = new Http2Origin(url, connect, sockets[0]!.open(), () => undefined, new FakeClock());
  const call = { method: 'GET' as const, url, headers: {}, maxBytes: 1_000, timeoutMs: 20_000 };
  const calls = Array.from({ length: count }, () => exchange(call, (started) => origin.start(started)));
  return { sockets, calls, origin };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await setImmediate();
}

test('calls wait for the settings of the server, and open no further connection before the settings arrive', async () => {
  const { sockets, calls, origin } = start(5);
  await settle();
  expect(sockets).toHaveLength(1);
  sockets[0]!.push(settingsFrame([[settingIds.maxConcurrentStreams, 3]]));
  await settle();
  /* The second connection carries one call until its settings arrive. */
  expect(sockets).toHaveLength(2);
  await origin.close();
  const reasons = (await Promise.all(calls)).map((error) => 'reason' in error && error.reason);
  expect(reasons).toEqual([...Array.from({ length: 4 }, () => 'AnswerLost'), 'ConnectFailed']);
});

test('calls that wait fail when the connection ends before the settings of the server', async () => {
  const { sockets, calls } = start(3);
  await settle();
  sockets[0]!.destroy();
  const reasons = (await Promise.all(calls)).map((error) => 'reason' in error && error.reason);
  expect(reasons).toEqual(['AnswerLost', 'ConnectFailed', 'ConnectFailed']);
  expect(sockets).toHaveLength(1);
});

test('calls wait without further connections while the server permits no streams', async () => {
  const { sockets, calls, origin } = start(1);
  const none = settingsFrame([[settingIds.maxConcurrentStreams, 0]]);
  await settle();
  sockets[0]!.push(none);
  const call = { method: 'GET' as const, url, headers: {}, maxBytes: 1_000, timeoutMs: 20_000 };
  const later = [1, 2, 3].map(() => exchange(call, (started) => origin.start(started)));
  await settle();
  expect(sockets).toHaveLength(1);
  sockets[0]!.push(settingsFrame([[settingIds.maxConcurrentStreams, 3]]));
  await settle();
  expect(sockets).toHaveLength(2);
  await origin.close();
  const reasons = (await Promise.all([...calls, ...later])).map((error) => 'reason' in error && error.reason);
  expect(reasons).toEqual(['AnswerLost', 'AnswerLost', 'AnswerLost', 'AnswerLost']);
});

test('calls that wait for streams get a new connection when the connection that permits none is closed', async () => {
  const { sockets, calls, origin } = start(1);
  await settle();
  sockets[0]!.push(settingsFrame([[settingIds.maxConcurrentStreams, 0]]));
  const call = { method: 'GET' as const, url, headers: {}, maxBytes: 1_000, timeoutMs: 20_000 };
  const later = exchange(call, (started) => origin.start(started));
  await settle();
  sockets[0]!.destroy();
  await settle();
  expect(sockets).toHaveLength(2);
  await origin.close();
  const reasons = (await Promise.all([...calls, later])).map((error) => 'reason' in error && error.reason);
  expect(reasons).toEqual(['AnswerLost', 'AnswerLost']);
});

test('a call that has ended while it waited opens no further connection', async () => {
  const { sockets, calls, origin } = start(2);
  const one = settingsFrame([[settingIds.maxConcurrentStreams, 1]]);
  await settle();
  sockets[0]!.push(one);
  await settle();
  const call = { method: 'GET' as const, url, headers: {}, maxBytes: 1_000, timeoutMs: 20_000 };
  const ended = exchange(call, (started) => {
    origin.start(started);
    started.fail(new Error('aborted'));
  });
  sockets[1]!.push(one);
  await settle();
  expect(sockets).toHaveLength(2);
  await origin.close();
  await Promise.all([...calls, ended]);
});
