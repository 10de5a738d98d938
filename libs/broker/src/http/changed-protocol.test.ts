import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createLoopbackCertificate } from '@interlock/actions-service';
import { eventually } from '../testing/eventually.js';
import { send } from '../testing/http.js';
import { createHttpClient } from './http-client.js';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

test('an origin that no longer offers HTTP/2 is called over HTTP/1.1 after one failure', async () => {
  const { ca, ...certificate } = await createLoopbackCertificate(Date.now(), '127.0.0.1', []);
  const sessions: ServerHttp2Session[] = [];
  const before = createSecureServer(certificate, (_request, response) => response.end('2'));
  before.on('session', (session) => sessions.push(session));
  before.listen(0, '127.0.0.1');
  await once(before, 'listening');
  const { port } = before.address() as AddressInfo;
  const http = createHttpClient({ ca });
  closing.push(() => void http.close());
  const url = new URL(`https://127.0.0.1:${port}/x`);
  const call = { method: 'GET', url, headers: {}, maxBytes: 100, timeoutMs: 20_000 } as const;
  expect((await send(http, call)).body.toString()).toBe('2');

  before.close();
  for (const session of sessions) session.close();
  await eventually(() => sessions.every(({ destroyed }) => destroyed) && !before.listening, 'the end');
  const after = createServer(certificate, (_request, response) => response.end('1.1'));
  after.listen(port, '127.0.0.1');
  await once(after, 'listening');
  closing.push(() => {
    after.closeAllConnections();
    after.close();
  });
  await expect(send(http, call)).rejects.toMatchObject({ reason: 'ConnectFailed' });
  expect((await send(http, call)).body.toString()).toBe('1.1');
});
