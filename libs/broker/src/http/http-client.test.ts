import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { eventually } from '../testing/eventually.js';
import { send } from '../testing/http.js';
import { createHttpClient, type HttpClient } from './http-client.js';

const signal = new AbortController().signal;
let server: Server;
let http: HttpClient;
const sockets = new Set<Socket>();

/** Starts a server that answers the first call of a connection with bytes, and then runs `then`. */
async function serve(
  answer: string | Buffer,
  then: (socket: Socket) => void = () => undefined,
): Promise<URL> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(answer);
      then(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  http = createHttpClient();
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
}

const long = 10_000;
const call = (url: URL, timeoutMs = long, headers = {}, token?: string) =>
  send(http, { method: 'GET', url, token, headers, maxBytes: 1_000, timeoutMs }, signal);

afterEach(async () => {
  await http.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n';
const trickle = (socket: Socket): void => {
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
};

describe('a call whose answer', () => {
  test.each<
    [title: string, answer: string, then: (socket: Socket) => void, timeoutMs: number, reason: string]
  >([
    ['never comes', '', () => undefined, 200, 'Timeout'],
    ['has no end of its head', 'HTTP/1.1 200 OK\r\n', () => undefined, 200, 'Timeout'],
    ['comes byte by byte', head, trickle, 200, 'Timeout'],
    [
      'is too large',
      `${head.replace('100', '2000')}${'x'.repeat(2_000)}`,
      () => undefined,
      long,
      'AnswerTooLarge',
    ],
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', () => undefined, long, 'AnswerLost'],
    ['breaks off', `${head}half`, (socket) => socket.end(), long, 'AnswerLost'],
    ['is cut off', head, (socket) => socket.resetAndDestroy(), long, 'AnswerLost'],
  ])('%s fails in time, and leaves no connection', async (_title, answer, then, timeoutMs, reason) => {
    const url = await serve(answer, then);
    await expect(call(url, timeoutMs)).rejects.toMatchObject({ reason });
    await eventually(() => sockets.size === 0, 'the end of the connection');
  });

  test('is a redirect is returned, and not followed', async () => {
    const url = await serve('HTTP/1.1 307 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n');
    expect((await call(url)).status).toBe(307);
    expect(sockets.size).toBe(1);
  });
});

test('a call fails with its own reason when a reused connection is closed before the answer', async () => {
  const url = await serve('HTTP/1.1 204 No Content\r\n\r\n', (socket) => {
    socket.once('data', () => socket.end());
  });
  await call(url);
  await expect(call(url)).rejects.toMatchObject({ type: 'Transient', reason: 'StaleConnection' });
  expect((await call(url)).status).toBe(204);
});

describe('a call with a header or a token', () => {
  const answer = 'HTTP/1.1 204 No Content\r\n\r\n';

  test.each([
    ['another line', 'a\r\nx-admin: true'],
    ['the end of the head', 'a\r\n\r\nGET / HTTP/1.1'],
    ['a line feed', 'a\nx-admin: true'],
    ['a carriage return', 'a\rb'],
    ['a character beyond ASCII', 'caf\u00e9'],
    ['a null character', 'a\0b'],
  ])('that has %s is refused before anything is sent', async (_title, value) => {
    let received = 0;
    const url = await serve(answer, () => (received += 1));
    const invalid = { type: 'Invalid' };
    await expect(call(url, long, { 'x-own': value })).rejects.toMatchObject(invalid);
    await expect(call(url, long, {}, value)).rejects.toMatchObject(invalid);
    expect(received).toBe(0);
  });

  test('of printable ASCII and tabs is sent', async () => {
    const url = await serve(answer);
    expect((await call(url, long, { 'x-own': 'a~b\tc' }, 'a~b\tc')).status).toBe(204);
  });
});

describe('an answer with a content coding that was not requested', () => {
  const text = '{"id":1}';
  const coded = (coding: string, body: Buffer, status = 200): Buffer =>
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${status} X\r\ncontent-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`,
      ),
      body,
    ]);

  test.each([
    ['gzip', 'gzip', gzipSync(text), 200],
    ['gzip under its old name', 'X-GZip', gzipSync(text), 200],
    ['gzip in a refusal', 'gzip', gzipSync(text), 503],
    ['identity', 'identity', Buffer.from(text), 200],
  ])('is read if that is %s', async (_title, coding, body, status) => {
    const answer = await call(await serve(coded(coding, body, status)));
    expect([answer.status, answer.body.toString()]).toEqual([status, text]);
  });

  test('is read if it has no content', async () => {
    const answer = await call(await serve(coded('br', Buffer.alloc(0))));
    expect(answer.body).toHaveLength(0);
  });

  test.each([
    ['is another', 'br', brotliCompressSync(text), 'MalformedAnswer', 'the content coding br'],
    ['has an invalid name', '<b>', Buffer.from(text), 'MalformedAnswer', 'invalid name'],
    ['is applied twice', 'gzip, gzip', gzipSync(gzipSync(text)), 'MalformedAnswer', 'gzip, gzip'],
    ['does not match the content', 'gzip', Buffer.from(text), 'MalformedAnswer', 'is damaged'],
    ['breaks off', 'gzip', gzipSync(text).subarray(0, 15), 'MalformedAnswer', 'is damaged'],
    ['expands to more than the limit', 'gzip', gzipSync('x'.repeat(1_001)), 'AnswerTooLarge', '1000 bytes'],
  ])('fails with a reason if that %s', async (_title, coding, body, reason, message) => {
    const failed = call(await serve(coded(coding, body)));
    await expect(failed).rejects.toMatchObject({ reason, message: expect.stringContaining(message) });
  });

  test('is a refusal without content if that is another', async () => {
    const answer = await call(await serve(coded('br', brotliCompressSync(text), 503)));
    expect([answer.status, answer.body.toString()]).toEqual([503, '']);
  });
});
