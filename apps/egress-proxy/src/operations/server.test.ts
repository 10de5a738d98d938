import { once } from 'node:events';
import { connect, Server } from 'node:net';
import { expect, test } from '@jest/globals';
import { serveProbes } from './server.js';

test('a probe is answered while other clients keep as many connections open as they can', async () => {
  const address = { host: '127.0.0.1', port: 0 };
  const server = await serveProbes({ address, isReady: () => true, metrics: () => '' });
  const sockets = Array.from({ length: 100 }, () => connect(server.port, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const path of ['/healthz', '/readyz'])
    expect((await fetch(`http://127.0.0.1:${server.port}${path}`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  server.stop();
});

test('a probe is answered after connections could not be accepted', async () => {
  const { listen } = Server.prototype;
  let listening: Server | undefined;
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    listening = Reflect.apply(listen, this, args) as Server;
    return listening;
  };
  const address = { host: '127.0.0.1', port: 0 };
  const server = await serveProbes({ address, isReady: () => true, metrics: () => '' });
  Server.prototype.listen = listen;
  for (const code of ['ENFILE', 'ENOBUFS']) listening?.emit('error', new Error(`accept ${code}`));
  expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
  server.stop();
});
