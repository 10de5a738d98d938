import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readGithubRanges } from './read-ranges.js';

const networks = { api: ['140.82.112.0/21', '140.82.120.0/21'], web: ['140.82.112.0/20'], hooks: ['x'] };

/** Returns networks that cannot be merged. */
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => `2001:${(at >> 8).toString(16)}:${(at & 255).toString(16)}::/48`);

let server: Server;
let url: string;
let answer: (response: ServerResponse) => void;
let connected: (socket: Duplex) => void;
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(response);
  });
  server.on('connect', (request, socket) => {
    asked.push(`${request.method} ${request.url}`);
    connected(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/meta`;
});
afterAll(() => void server.close());
afterEach(() => {
  asked.length = 0;
  delete process.env['HTTPS_PROXY'];
});

const read = (from = url) => readGithubRanges({ url: from, signal: new AbortController().signal });

describe('readGithubRanges', () => {
  it('merges the networks that proxies need', async () => {
    answer = (response) => response.end(JSON.stringify(networks));
    expect(await read()).toEqual(['140.82.112.0/20']);
    expect(asked).toEqual(['GET /meta']);
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['an error', (response) => response.writeHead(502).end(), 'answers 502'],
    ['a connection that is closed', (response) => response.destroy(), 'cannot be read'],
  ])('reads again after %s', async (_title, respond, message) => {
    answer = respond;
    await expect(read()).rejects.toMatchObject({
      type: 'Transient',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['a page that is not the list of networks', '<html>', 'does not contain the networks of GitHub'],
    ['a list without networks', '{"api":[],"web":[]}', 'does not list a network'],
    ['an entry that is not a network', '{"api":["all"],"web":[]}', 'api.0'],
    ['an answer that is too large', 'x'.repeat(5_000_000), 'more than 4194304 bytes'],
    ['a network of all addresses', '{"api":["1.0.0.0/8"],"web":["0.0.0.0/0"]}', 'web.0 is too large'],
    ['a network of half of the IPv6 addresses', '{"api":["8000::/1"],"web":[]}', 'api.0 is too large'],
    [
      'more networks than a NetworkPolicy can hold',
      JSON.stringify({ ...networks, actions: many(20_001) }),
      'lists 20004 networks, more than 20000',
    ],
  ])('refuses %s', async (_title, body, message) => {
    answer = (response) => response.end(body);
    await expect(read()).rejects.toMatchObject({
      type: 'Permanent',
      message: expect.stringContaining(message),
    });
  });

  it('uses the proxy of the environment variables', async () => {
    process.env['HTTPS_PROXY'] = new URL(url).origin;
    connected = (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    await expect(read('https://api.github.com/meta')).rejects.toMatchObject({ type: 'Transient' });
    expect(asked).toEqual(['CONNECT api.github.com:443']);
  });

  it('reports a proxy that closes the connection', async () => {
    process.env['HTTPS_PROXY'] = new URL(url).origin;
    connected = (socket) => socket.end();
    const failed = read('https://api.github.com/meta');
    await expect(failed).rejects.toThrow('the proxy closed the connection without an answer');
    expect(asked).toEqual(['CONNECT api.github.com:443']);
  });

  it('stops although the proxy does not answer', async () => {
    process.env['HTTPS_PROXY'] = new URL(url).origin;
    const abort = new AbortController();
    const held = new Promise<Duplex>((resolve) => {
      connected = (socket) => {
        abort.abort(new Error('stopped'));
        resolve(socket);
      };
    });
    const reading = readGithubRanges({ url: 'https://api.github.com/meta', signal: abort.signal });
    await expect(reading).rejects.toThrow('stopped');
    (await held).destroy();
  });
});
