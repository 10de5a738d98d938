import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { HttpClient } from './http-client.js';

const remote = { url: 'https://git.example.com/shop.git', credentials: undefined, redirects: false };

test('reports a proxy that closes connections', async () => {
  const proxy = createTcpServer((socket) => void socket.once('data', () => socket.end()));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  process.env['HTTPS_PROXY'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = new HttpClient(60_000);
  try {
    const read = client.capabilities(remote, new AbortController().signal);
    await expect(read).rejects.toThrow('the proxy closed the connection without an answer');
  } finally {
    delete process.env['HTTPS_PROXY'];
    client.close();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test('stops although the proxy does not answer', async () => {
  const abort = new AbortController();
  const proxy = createServer();
  const connected = once(proxy, 'connect').then(([, socket]) => {
    abort.abort(new Error('stopped'));
    return socket;
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  process.env['HTTPS_PROXY'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = new HttpClient(60_000);
  try {
    await expect(client.capabilities(remote, abort.signal)).rejects.toThrow('stopped');
  } finally {
    delete process.env['HTTPS_PROXY'];
    client.close();
    (await connected).destroy();
    await new Promise((resolve) => proxy.close(resolve));
  }
});
