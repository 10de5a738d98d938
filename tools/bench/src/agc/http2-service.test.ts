import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { AnsweringService } from './answering-service.js';
import { serveHttp2 } from './http2-service.js';
import { pathOfPoll, token } from './poll.js';

const service = new AnsweringService('http://service.example', {});
let server: Server;
let accepted: Socket;
let client: ClientHttp2Session;

beforeEach(async () => {
  server = createServer((socket) => {
    accepted = socket;
    serveHttp2(socket, service);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterEach(() => {
  client.destroy();
  server.close();
});

async function call(path: string, method = 'GET', body?: string): Promise<[status: unknown, body: string]> {
  const stream = client.request({ ':method': method, ':path': path, 'x-long': 'x'.repeat(20_000) });
  stream.end(body);
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  return [headers[':status'], await text(stream)];
}

test('the answers over HTTP/2 have the status and the body of the service', async () => {
  const session = JSON.stringify({ agent: { id: 8 } });
  expect(await call('/session', 'POST', session)).toEqual([201, expect.stringContaining('000000000007')]);
  expect(await call('/session?sessionId=1', 'DELETE')).toEqual([204, '']);
  expect(await call('/elsewhere')).toEqual([404, '{}']);
  const [, body] = await call('/token', 'POST', 'a=b');
  expect(JSON.parse(body)).toMatchObject({ access_token: token });
});

test('more answers than fit into a window are all sent', async () => {
  for (let count = 0; count < 100; count++)
    expect(await call('/token', 'POST', 'x'.repeat(1_500))).toEqual([200, expect.stringContaining(token)]);
});

test('a poll is answered later, and not after the client has withdrawn it', async () => {
  const polls = [1, 2].map((runner) => client.request({ ':path': pathOfPoll(runner) }));
  await call('/token', 'POST');
  polls[1]!.close();
  await call('/token', 'POST');
  service.cancel(1);
  expect(await text(polls[0]!)).toContain('job-1');
  const before = accepted.bytesWritten;
  service.cancel(2);
  await setImmediate();
  expect(accepted.bytesWritten).toBe(before);
});
