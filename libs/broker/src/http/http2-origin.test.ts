import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { createLoopbackCertificate, type LoopbackCertificate } from '@interlock/actions-service';
import { eventually } from '../testing/eventually.js';
import type { HttpCall } from './exchange.js';
import { send as sendCall } from '../testing/http.js';
import { createHttpClient, type HttpClient } from './http-client.js';

type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

let certificate: LoopbackCertificate;
let server: Http2SecureServer;
let http: HttpClient;
let url: URL;
const sessions: ServerHttp2Session[] = [];
const sockets: TLSSocket[] = [];
/** In MB: a server of Node.js refuses calls beyond 10. */
const serverMemory = { maxSessionMemory: 100 };

beforeAll(async () => {
  certificate = await createLoopbackCertificate(Date.now(), '127.0.0.1', []);
});

/** Starts a server of Node.js, and a client for it. */
async function serve(onStream: OnStream, options: SecureServerOptions = {}): Promise<void> {
  const { cert, key, ca } = certificate;
  server = createSecureServer({ cert, key, ...options });
  server.on('secureConnection', (socket) => void sockets.push(socket));
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    onStream(stream, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/x?y=1`);
  http = createHttpClient({ ca });
}

afterEach(async () => {
  await http.close();
  for (const session of sessions.splice(0)) session.destroy();
  sockets.length = 0;
  server.close();
});

const send = (call: Partial<HttpCall> = {}, signal?: AbortSignal) =>
  sendCall(
    http,
    { method: 'GET', url, headers: {}, maxBytes: 100_000_000, timeoutMs: 20_000, ...call },
    signal,
  );
const hello: OnStream = (stream) => {
  stream.respond({ ':status': 200 });
  stream.end('hello');
};
/** Answers with what was received. */
const echo: OnStream = (stream, headers) => {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    stream.respond({ ':status': 200, 'x-seen': JSON.stringify(headers) });
    stream.end(Buffer.concat(chunks));
  });
};

describe('a call over HTTP/2', () => {
  test('arrives with its method, path and headers', async () => {
    await serve(echo);
    const answer = await send({
      method: 'POST',
      token: 'a~b\tc',
      headers: { 'X-Own': '1' },
      body: 'caf\u00e9',
    });
    expect(answer.body.toString()).toBe('caf\u00e9');
    expect(JSON.parse(String(answer.headers['x-seen']))).toMatchObject({
      ...{ ':method': 'POST', ':scheme': 'https', ':authority': url.host, ':path': '/x?y=1' },
      ...{ authorization: 'Bearer a~b\tc', 'x-own': '1', 'content-length': '5' },
    });
  });

  test('receives an answer in gzip, although it did not request a content coding', async () => {
    await serve((stream) => {
      stream.respond({ ':status': 200, 'content-encoding': 'gzip' });
      stream.end(gzipSync('hello'));
    });
    expect((await send()).body.toString()).toBe('hello');
  });

  test('receives each character of a header as the server encodes it', async () => {
    const codes = Array.from({ length: 256 - 33 }, (_one, index) => index + 33).filter(
      (code) => code !== 127,
    );
    const value = (code: number): string => String.fromCharCode(code) + '0'.repeat(40);
    await serve((stream) => {
      const headers = Object.fromEntries(codes.map((code) => [`x-${code}`, value(code)]));
      stream.respond({ ':status': 200, ...headers }, { endStream: true });
    });
    const { headers } = await send();
    expect(codes.filter((code) => headers[`x-${code}`] !== value(code))).toEqual([]);
  });

  test.each([
    ['1.5 MiB in both directions', 1.5 * 1024 * 1024],
    ['nothing', 0],
  ])('carries %s', async (_title, bytes) => {
    await serve(echo);
    const body = Array.from({ length: bytes / 8 }, (_one, index) => String(index).padStart(8, '0')).join('');
    expect((await send({ method: 'POST', body })).body.toString()).toBe(body);
  });

  test('receives 20 MiB while other calls receive their answers', async () => {
    const large = Buffer.alloc(20 * 1024 * 1024, 'abcdefg');
    await serve((stream, headers) => {
      stream.respond({ ':status': 200 });
      stream.end(headers['x-large'] === undefined ? 'small' : large);
    }, serverMemory);
    const [one, ...others] = await Promise.all([
      send({ headers: { 'x-large': '1' } }),
      ...Array.from({ length: 20 }, () => send()),
    ]);
    expect(one.body.equals(large)).toBe(true);
    expect(others.every(({ body }) => body.toString() === 'small')).toBe(true);
  });

  test('sends a head that is larger than a frame', async () => {
    const long = 'v'.repeat(40_000);
    await serve(
      (stream, headers) => {
        stream.respond({ ':status': headers['x-long'] === long ? 204 : 400 }, { endStream: true });
      },
      { settings: { maxHeaderListSize: 100_000 } },
    );
    expect((await send({ headers: { 'x-long': long } })).status).toBe(204);
  });

  test('receives interim heads, a head in several frames, and a trailer', async () => {
    await serve((stream) => {
      stream.additionalHeaders({ ':status': 103, 'x-interim': '1' });
      stream.respond({ ':status': 200, 'x-long': '\u00fe'.repeat(20_000) }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-trailer': '1' }));
      stream.end('hello');
    });
    const { headers, body } = await send();
    expect([headers['x-long']?.length, headers['x-interim'], headers['x-trailer'], body.toString()]).toEqual([
      ...[20_000, undefined, undefined, 'hello'],
    ]);
  });

  test('receives answers from a server that changes the size of its header table', async () => {
    await serve((stream, headers) => {
      stream.respond(
        { ':status': 200, 'x-a': 'a'.repeat(100), 'x-path': headers[':path'] },
        { endStream: true },
      );
    });
    for (const headerTableSize of [4_096, 0, 100, 65_536]) {
      await send();
      sessions[0]!.settings({ headerTableSize });
      await once(sessions[0]!, 'localSettings');
    }
    expect((await send()).headers).toMatchObject({ 'x-a': 'a'.repeat(100), 'x-path': '/x?y=1' });
    expect(sessions).toHaveLength(1);
  });

  test('with a header that cannot be sent is refused, and the connection stays in use', async () => {
    await serve(hello);
    await send();
    await expect(send({ token: 'a\r\nb' })).rejects.toMatchObject({ type: 'Invalid' });
    expect((await send()).status).toBe(200);
    expect(sessions).toHaveLength(1);
  });

  test('is withdrawn from the server when it is aborted, and the connection stays in use', async () => {
    const ends: number[] = [];
    await serve((stream, headers) => {
      if (headers['x-wait'] === undefined) hello(stream, headers);
      else stream.on('close', () => ends.push(stream.rstCode));
    });
    const stopping = new AbortController();
    const waiting = send({ headers: { 'x-wait': '1' } }, stopping.signal);
    await send();
    stopping.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await eventually(() => ends.length === 1, 'the end of the stream');
    expect([ends, (await send()).status, sessions.length]).toEqual([[constants.NGHTTP2_CANCEL], 200, 1]);
  });

  test('that times out takes the connection out of use', async () => {
    await serve((stream, headers) => {
      if (headers['x-wait'] === undefined) hello(stream, headers);
    });
    await expect(send({ headers: { 'x-wait': '1' }, timeoutMs: 100 })).rejects.toMatchObject({
      reason: 'Timeout',
    });
    expect((await send()).status).toBe(200);
    expect(sessions).toHaveLength(2);
    await eventually(() => sessions[0]!.destroyed, 'the end of the first connection');
  });

  test.each([
    ['REFUSED_STREAM', constants.NGHTTP2_REFUSED_STREAM, 'ConnectFailed'],
    ['INTERNAL_ERROR', constants.NGHTTP2_INTERNAL_ERROR, 'AnswerLost'],
    ['CANCEL', constants.NGHTTP2_CANCEL, 'AnswerLost'],
  ])('that the server resets with %s fails without an effect on other calls', async (_name, code, reason) => {
    await serve((stream, headers) => {
      if (headers['x-reset'] === undefined) setTimeout(() => hello(stream, headers), 20);
      else stream.close(code);
    });
    const other = send();
    await expect(send({ headers: { 'x-reset': '1' } })).rejects.toMatchObject({ reason });
    expect((await other).body.toString()).toBe('hello');
    expect(sessions).toHaveLength(1);
  });
});

describe('the connections to an origin', () => {
  test('are as many as the calls in progress need', async () => {
    const held: ServerHttp2Stream[] = [];
    await serve((stream) => void held.push(stream), { settings: { maxConcurrentStreams: 10 } });
    const first = send();
    await eventually(() => held.length === 1, 'the first call');
    const calls = Array.from({ length: 24 }, () => send());
    await eventually(() => held.length === 25, 'all calls');
    expect(sessions).toHaveLength(3);
    for (const stream of held) hello(stream, {});
    expect((await Promise.all([first, ...calls])).every(({ status }) => status === 200)).toBe(true);
  });

  test('take more calls when the server permits more', async () => {
    const held: ServerHttp2Stream[] = [];
    await serve((stream) => void held.push(stream), { settings: { maxConcurrentStreams: 1 } });
    const first = send();
    await eventually(() => held.length === 1, 'the first call');
    sessions[0]!.settings({ maxConcurrentStreams: 5 });
    await eventually(() => sessions[0]!.localSettings.maxConcurrentStreams === 5, 'the new settings');
    const calls = Array.from({ length: 4 }, () => send());
    await eventually(() => held.length === 5, 'all calls');
    expect(sessions).toHaveLength(1);
    for (const stream of held) hello(stream, {});
    await Promise.all([first, ...calls]);
  });

  test('that the server closes are replaced, and their calls are answered', async () => {
    const held: ServerHttp2Stream[] = [];
    await serve((stream) => void held.push(stream));
    const [first, second] = [send(), send()];
    await eventually(() => held.length === 2, 'the calls');
    sessions[0]!.close();
    hello(held[1]!, {});
    await second;
    const third = send();
    await eventually(() => held.length === 3, 'the third call');
    expect(sessions).toHaveLength(2);
    for (const stream of [held[0]!, held[2]!]) hello(stream, {});
    expect((await Promise.all([first, third])).map(({ body }) => body.toString())).toEqual([
      'hello',
      'hello',
    ]);
    await eventually(() => sessions[0]!.destroyed, 'the end of the first connection');
  });

  test('report a call as repeatable when the server has not processed it', async () => {
    const held: ServerHttp2Stream[] = [];
    await serve((stream) => void held.push(stream));
    const calls = [send(), send()];
    await eventually(() => held.length === 2, 'the calls');
    sessions[0]!.goaway(constants.NGHTTP2_NO_ERROR, held[0]!.id);
    await expect(calls[1]).rejects.toMatchObject({ type: 'Transient', reason: 'ConnectFailed' });
    hello(held[0]!, {});
    expect((await calls[0]!).body.toString()).toBe('hello');
  });

  test('report lost answers when they break', async () => {
    await serve(() => sockets[0]!.destroy());
    await expect(send()).rejects.toMatchObject({ type: 'Transient', reason: 'AnswerLost' });
  });

  test('carry 2,000 calls at a time', async () => {
    let open = 0;
    let most = 0;
    await serve(
      (stream, headers) => {
        most = Math.max(most, (open += 1));
        setTimeout(() => {
          open -= 1;
          stream.respond({ ':status': 200 });
          stream.end(headers[':path']);
        }, 50);
      },
      { settings: { maxConcurrentStreams: 1_000 } },
    );
    const answers = await Promise.all(
      Array.from({ length: 2_000 }, (_one, index) => send({ url: new URL(`/${index}`, url) })),
    );
    expect(answers.map(({ body }) => body.toString())).toEqual(answers.map((_one, index) => `/${index}`));
    expect(sessions.length).toBeLessThanOrEqual(9);
    expect(most).toBeGreaterThan(100);
  });
});
