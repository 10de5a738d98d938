import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createLoopbackCertificate } from '@interlock/actions-service';
import type { TypedError } from '@interlock/api';
import { send } from '../testing/http.js';
import { createHttpClient } from './http-client.js';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

test.each([
  ['whose connections have ended', false],
  ['that has not answered all calls', true],
])(
  'an origin %s and that no longer offers HTTP/2 is called over HTTP/1.1 after one failure',
  async (_title, isHeld) => {
    const { ca, ...certificate } = await createLoopbackCertificate(Date.now(), '127.0.0.1', []);
    const sessions: ServerHttp2Session[] = [];
    const before = createSecureServer(certificate, ({ url }, response) => {
      if (url !== '/held') response.end('2');
    });
    before.on('session', (session) => sessions.push(session));
    before.listen(0, '127.0.0.1');
    await once(before, 'listening');
    const { port } = before.address() as AddressInfo;
    const http = createHttpClient({ ca });
    closing.push(() => void http.close());
    const url = new URL(`https://127.0.0.1:${port}/x`);
    const call = { method: 'GET', url, headers: {}, maxBytes: 100, timeoutMs: 20_000 } as const;
    expect((await send(http, call)).body.toString()).toBe('2');

    const held = isHeld && send(http, { ...call, url: new URL('/held', url) }).catch(() => undefined);
    if (isHeld) await once(before, 'request');
    before.close();
    for (const session of sessions) session.close();
    /* Until the client knows that the server ends the connection, it sends calls over it. */
    for (let reason = ''; reason !== 'ConnectFailed';) {
      reason = await send(http, call).then(
        () => '',
        (error: TypedError) => error.reason,
      );
    }
    const after = createServer(certificate, (_request, response) => response.end('1.1'));
    after.listen(port, '127.0.0.1');
    await once(after, 'listening');
    closing.push(() => {
      after.closeAllConnections();
      after.close();
    });
    await expect(send(http, call)).rejects.toMatchObject({ reason: 'ConnectFailed' });
    expect(isHeld && sessions.some(({ destroyed }) => destroyed)).toBe(false);
    expect((await send(http, call)).body.toString()).toBe('1.1');
    for (const session of sessions) session.destroy();
    await held;
  },
);
