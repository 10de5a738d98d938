import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { createLoopbackCertificate } from '@interlock/actions-service';
import { createConnector } from './connector.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Serves TLS. Returns how to connect to 127.0.0.1, and which connections resumed a session. */
async function serve() {
  const { cert, key, ca } = await createLoopbackCertificate(Date.now(), '127.0.0.1', []);
  const resumed: boolean[] = [];
  const server = createServer({ cert, key, ALPNProtocols: ['http/1.1'] }, (socket) => {
    resumed.push(socket.isSessionReused());
    socket.on('error', () => undefined).end('x');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const connect = createConnector({ ca });
  return { resumed, connect: () => connect(url, ['h2', 'http/1.1']) };
}

test('resumes the session of an earlier connection, and agrees on the protocol each time', async () => {
  const { resumed, connect } = await serve();
  const protocols = [];
  for (let count = 0; count < 2; count++) {
    const { socket } = await connect();
    protocols.push('alpnProtocol' in socket && socket.alpnProtocol);
    await once(socket, 'close');
  }
  expect(resumed).toEqual([false, true]);
  expect(protocols).toEqual(['http/1.1', 'http/1.1']);
});

test('passes on what a server sends before its reader is known', async () => {
  const { connect } = await serve();
  const { socket, received } = await connect();
  await once(socket, 'close');
  const read: string[] = [];
  received.readBy((bytes) => read.push(bytes.toString()));
  expect(read).toEqual(['x']);
});
