import { createServer, type Server } from 'node:https';
import { createServer as createProxy, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generate } from 'selfsigned';
import { Agent } from 'undici';
import { fetchCalendar } from './calendar-fetch.js';

let server: Server;
let dispatcher: Agent;
let host: string;
let respond: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  server = createServer({ key, cert }, (request, response) => respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `localhost:${(server.address() as AddressInfo).port}`;
  dispatcher = new Agent({ connect: { ca: cert } });
});
afterAll(async () => {
  await dispatcher.close();
  await new Promise((resolve) => server.close(resolve));
});

function read(path = '/a.ics', more: { hosts?: string[]; signal?: AbortSignal; url?: string } = {}) {
  const { hosts = [host], signal = new AbortController().signal, url = `https://${host}${path}` } = more;
  return fetchCalendar(url, { hosts, signal, dispatcher });
}

const answer = (status: number, headers: Record<string, string> = {}, body = '') =>
  void (respond = (_, response) => response.writeHead(status, headers).end(body));

describe('fetchCalendar', () => {
  it('returns the text', async () => {
    answer(200, {}, 'BEGIN:VCALENDAR');
    await expect(read()).resolves.toBe('BEGIN:VCALENDAR');
  });

  it('allows a host that the flag spells in capitals', async () => {
    answer(200, {}, 'BEGIN:VCALENDAR');
    await expect(read('/a.ics', { hosts: [host.toUpperCase()] })).resolves.toBe('BEGIN:VCALENDAR');
  });

  it('follows redirects within the host', async () => {
    respond = ({ url }, response) =>
      url === '/b.ics' ? response.end('found') : response.writeHead(302, { location: '/b.ics' }).end();
    await expect(read()).resolves.toBe('found');
  });

  it.each([
    [
      'a host that is not allowed',
      { hosts: [] },
      /host localhost:\d+ is not allowed; add it to the flag --calendar-hosts/,
    ],
    ['http', { url: 'http://localhost/a.ics' }, /only https URLs are supported/],
    ['a text that is not a URL', { url: 'calendar' }, /it is not a URL/],
  ])('refuses %s', async (_, more, message) => {
    answer(200);
    await expect(read('/a.ics', more)).rejects.toThrow(message);
  });

  it.each([
    [
      'another host',
      { location: 'https://169.254.169.254/latest' },
      /redirects to 169.254.169.254; use that host in the URL/,
    ],
    ['http', { location: 'http://localhost/' }, /redirects to localhost/],
    ['itself', { location: '/a.ics' }, /redirects more than 3 times/],
    ['nowhere', {}, /answers 302/],
  ])('does not follow a redirect to %s', async (_, headers, message) => {
    answer(302, headers as Record<string, string>);
    await expect(read()).rejects.toThrow(message);
  });

  it('reports the status of the host', async () => {
    answer(403);
    await expect(read()).rejects.toThrow(/spec.calendar.url: localhost:\d+ answers 403/);
  });

  it('reads at most one mebibyte', async () => {
    answer(200, {}, 'x'.repeat(1024 * 1024));
    await expect(read()).resolves.toHaveLength(1024 * 1024);
    answer(200, {}, 'x'.repeat(1024 * 1024 + 1));
    await expect(read()).rejects.toThrow(/more than 1048576 bytes/);
  });

  it('ends when its signal aborts', async () => {
    const abort = new AbortController();
    respond = () => abort.abort(new Error('stopped'));
    await expect(read('/a.ics', { signal: abort.signal })).rejects.toThrow('stopped');
  });
});

describe('fetchCalendar with a proxy in the environment', () => {
  const url = 'https://calendar.example.com/a.ics';
  const signal = () => new AbortController().signal;
  const readThrough = (given: AbortSignal) =>
    fetchCalendar(url, { hosts: ['calendar.example.com'], signal: given });
  const sockets = new Set<Socket>();
  let proxy: ReturnType<typeof createProxy>;
  let connected: (target: string | undefined, socket: Duplex) => void;

  beforeAll(async () => {
    proxy = createProxy()
      .on('connect', (request, socket) => connected(request.url, socket))
      .on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    process.env['HTTPS_PROXY'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    delete process.env['HTTPS_PROXY'];
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });

  it('reads through the proxy', async () => {
    const asked: (string | undefined)[] = [];
    connected = (target, socket) => {
      asked.push(target);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    };
    await expect(readThrough(signal())).rejects.toThrow(/cannot be read: .*403/);
    expect(asked).toEqual(['calendar.example.com:443']);
  });

  it('reports a proxy that closes the connection', async () => {
    connected = (_target, socket) => socket.end();
    await expect(readThrough(signal())).rejects.toThrow('the proxy closed the connection without an answer');
  });

  it('stops although the proxy does not answer', async () => {
    const abort = new AbortController();
    connected = () => abort.abort(new Error('stopped'));
    await expect(readThrough(abort.signal)).rejects.toThrow('stopped');
  });

  it.each(['proxy.internal:3128', '10.0.0.1:3128'])(
    'names the variables when the proxy %s is not a URL',
    async (proxy) => {
      process.env['HTTPS_PROXY'] = proxy;
      await expect(readThrough(signal())).rejects.toMatchObject({
        type: 'Permanent',
        message: expect.stringMatching(
          /^spec.calendar.url: HTTPS_PROXY or HTTP_PROXY of the gate-controller is not a URL such as http:.*: Invalid URL/,
        ),
      });
    },
  );
});
