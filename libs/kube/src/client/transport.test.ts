import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect as connectTo, createServer, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { StubApi } from '../testing/stub-api.js';
import { until } from '../testing/until.js';
import { createTransport, type HttpRequest } from './transport.js';

const request: HttpRequest = { method: 'GET', path: '/', headers: {} };
const discard = () => undefined;

let api: StubApi;

beforeEach(async () => {
  api = await StubApi.start((_, response) => response.writeHead(200).flushHeaders());
});
afterEach(() => api.close());

describe('the transport', () => {
  test('ends a request with its signal although the credentials do not arrive', async () => {
    const current = () => new Promise<never>(() => undefined);
    const transport = createTransport({ server: new URL(api.url), proxyUrl: undefined, current, discard });
    const abort = new AbortController();
    const sent = transport.send('lease', request, abort.signal);
    abort.abort(new Error('the time is over'));
    await expect(sent).rejects.toThrow('the time is over');
    await transport.close();
  });

  test('ends a request with its signal although the server does not complete the connection', async () => {
    const abort = new AbortController();
    const silent = createServer();
    const connected = once(silent, 'connection').then(([socket]) => {
      abort.abort(new Error('the time is over'));
      return socket;
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const server = new URL(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const current = () => Promise.resolve({ headers: {}, tls: {} });
    const transport = createTransport({ server, proxyUrl: undefined, current, discard });
    await expect(transport.send('lease', request, abort.signal)).rejects.toThrow('the time is over');
    await transport.close();
    (await connected).destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  test('uses one connection for requests in succession, whatever their method', async () => {
    const current = () => Promise.resolve({ headers: {}, tls: {} });
    const transport = createTransport({ server: new URL(api.url), proxyUrl: undefined, current, discard });
    api.answer((_, response) => void response.end('{}'));
    const { signal } = new AbortController();
    for (const method of ['DELETE', 'GET', 'PATCH', 'DELETE', 'POST'] as const) {
      const body = method === 'GET' ? {} : { body: '{"kind":"DeleteOptions"}' };
      const response = await transport.send('call', { ...request, method, ...body }, signal);
      await response.body.text();
      /* undici uses a connection again in the next turn of the event loop. */
      await setImmediate();
    }
    expect(api.connections).toBe(1);
    await transport.close();
  });

  test('sends requests again after a proxy has not opened its tunnels', async () => {
    let isSilent = true;
    const tunnels: Duplex[] = [];
    const proxy = createHttpServer().on('connect', (_request, socket: Duplex) => {
      tunnels.push(socket);
      if (isSilent) return;
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      const upstream = connectTo(Number(new URL(api.url).port), '127.0.0.1');
      upstream.pipe(socket).pipe(upstream);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const current = () => Promise.resolve({ headers: {}, tls: {} });
    const transport = createTransport({ server: new URL(api.url), proxyUrl, current, discard }, 2_000);
    const abort = new AbortController();
    const sent = Array.from({ length: 8 }, () => transport.send('lease', request, abort.signal));
    await until(() => tunnels.length === 8);
    abort.abort(new Error('the time is over'));
    await Promise.allSettled(sent);
    isSilent = false;
    const { statusCode } = await transport.send('lease', request, new AbortController().signal);
    expect(statusCode).toBe(200);
    await transport.close();
    for (const tunnel of tunnels) tunnel.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });

  test('reports a proxy that closes connections, and leaves it alone', async () => {
    let connections = 0;
    const proxy = createServer((socket) => {
      connections += 1;
      socket.once('data', () => socket.end());
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const current = () => Promise.resolve({ headers: {}, tls: {} });
    const transport = createTransport({ server: new URL(api.url), proxyUrl, current, discard });
    await expect(transport.send('call', request, new AbortController().signal)).rejects.toThrow(
      'the proxy closed the connection without an answer',
    );
    expect(connections).toBe(1);
    await transport.close();
    await new Promise((resolve) => proxy.close(resolve));
  });

  test('renews many leases at a time', async () => {
    const current = () => Promise.resolve({ headers: {}, tls: {} });
    const transport = createTransport({ server: new URL(api.url), proxyUrl: undefined, current, discard });
    const renewals = 8;
    let arrived = 0;
    const abort = new AbortController();
    const allArrived = new Promise<void>((resolve) =>
      api.answer(() => {
        arrived += 1;
        if (arrived === renewals) resolve();
      }),
    );
    const sent = Array.from({ length: renewals }, () => transport.send('lease', request, abort.signal));
    await allArrived;
    abort.abort(new Error('the time is over'));
    const outcomes = await Promise.allSettled(sent);
    expect(outcomes.map(({ status }) => status)).toEqual(sent.map(() => 'rejected'));
    await transport.close();
  });

  test('ends a watch when it is closed, although certificates were rotated after the start of the watch', async () => {
    let servername = 'one';
    const current = () => Promise.resolve({ headers: {}, tls: { servername } });
    const transport = createTransport({ server: new URL(api.url), proxyUrl: undefined, current, discard });
    const { signal } = new AbortController();
    const { body } = await transport.send('watch', request, signal);
    const ended = body.text().catch((error: Error) => error);
    servername = 'two';
    await transport.send('watch', request, signal).then((next) => next.body.on('error', () => undefined));
    await transport.close();
    expect(await ended).toBeInstanceOf(Error);
  });
});
