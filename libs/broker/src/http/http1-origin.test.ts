import { expect, test } from '@jest/globals';
import { exchange } from '../testing/http.js';
import { PipeSocket } from '../testing/http2-pipe.js';
import type { OpenConnection } from './connector.js';
import { Http1Origin } from './http1-origin.js';

test('a call whose connection opens after the client was closed is not sent', async () => {
  const url = new URL('http://broker.example/message');
  let open: (connection: OpenConnection) => void = () => undefined;
  const opening = new Promise<OpenConnection>((resolve) => (open = resolve));
  const origin = new Http1Origin(url, () => opening, undefined);
  const call = { method: 'GET' as const, url, headers: {}, maxBytes: 1_000, timeoutMs: 20_000 };
  const failed = exchange(call, (started) => origin.start(started));
  await origin.close();
  const socket = new PipeSocket();
  open(socket.open());
  expect(await failed).toMatchObject({ reason: 'ConnectFailed' });
  expect([socket.destroyed, socket.written, origin.isIdle]).toEqual([true, [], true]);
});
