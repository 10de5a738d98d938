import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { request } from 'undici';
import { createLogger } from '../logging/logger.js';
import type { RequestAdmission } from './admission.js';
import { startServer, type RunningServer, type ServerOptions } from './server.js';

const log = createLogger({ component: 'test', level: 'fatal' });
const kib = 1024;
const servers: RunningServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  sockets.splice(0).forEach((socket) => socket.destroy());
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function admit({ url, headers }: { url: string; headers: object }): RequestAdmission {
  return 'x-signature' in headers
    ? { body: url.startsWith('/unknown') ? 'drop' : 'keep', tenant: url }
    : { refuse: { code: 401, body: { message: 'not signed' } } };
}

/** Starts a server that answers with the size of the body, for the tenant that the path names. */
async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startServer(
    {
      name: 'test',
      address: { host: '127.0.0.1', port: 0 },
      maxBodyBytes: 256 * kib,
      bodyLimits: { requests: 8, bytes: 1024 * kib },
      routes: (routes) => {
        routes.post('/:tenant', { config: { admit } }, async ({ body }) => ({
          bytes: Buffer.isBuffer(body) ? body.length : null,
        }));
      },
      ...options,
    },
    log,
  );
  servers.push(server);
  return server;
}

/** Starts a server that emits `asked` for each body that has arrived, and answers those for `/held` after `release`. */
async function startHeld(): Promise<{ server: RunningServer; held: EventEmitter }> {
  const held = new EventEmitter();
  const server = await start({
    routes: (routes) => {
      routes.post('/:tenant', { config: { admit } }, async ({ url, body }) => {
        const released = once(held, 'release');
        held.emit('asked');
        if (url === '/held') await released;
        return { bytes: Buffer.isBuffer(body) ? body.length : null };
      });
    },
  });
  return { server, held };
}

async function connected({ port }: RunningServer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends the head of a request and the beginning of its body. */
async function begin(
  server: RunningServer,
  path: string,
  lines: readonly string[],
  body = '',
): Promise<Socket> {
  const socket = await connected(server);
  socket.write([`POST ${path} HTTP/1.1`, 'host: x', ...lines, '', body].join('\r\n'));
  return socket;
}

/** Sends the head of a request, and waits until the server has read it. Its body has ten bytes. */
async function inProgress(server: RunningServer): Promise<Socket> {
  const socket = await begin(server, '/team', [...signed(10), 'expect: 100-continue']);
  expect(await statusOf(socket)).toBe(100);
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString())?.[1]);
}

async function send({ port }: RunningServer, path: string, body: string): Promise<unknown> {
  const answer = await request(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'x-signature': 'x', 'content-type': 'application/json' },
    body,
  });
  return answer.statusCode === 200 ? answer.body.json() : answer.body.dump().then(() => answer.statusCode);
}

const signed = (bytes: number): string[] => ['x-signature: x', `content-length: ${bytes}`];

describe('a route that admits its requests', () => {
  test.each(['content-length: 100000', 'transfer-encoding: chunked'])(
    'refuses a request before its body has been sent (%s)',
    async (header) => {
      const server = await start();
      expect(await statusOf(await begin(server, '/team', [header]))).toBe(401);
    },
  );

  test('refuses a request for an unknown path before its body has been sent', async () => {
    const server = await start();
    expect(await statusOf(await begin(server, '/team/unknown', signed(100_000)))).toBe(404);
  });

  test('reads the rest of a body that it has refused, so that the client receives the answer', async () => {
    const server = await start();
    const socket = await begin(server, '/team/unknown', signed(200 * kib));
    expect(await statusOf(socket)).toBe(404);
    const next = ['POST /team HTTP/1.1', 'host: x', ...signed(1), '', '1'].join('\r\n');
    socket.write('x'.repeat(200 * kib) + next);
    expect(await statusOf(socket)).toBe(200);
  });

  test('keeps or drops the bytes of a body', async () => {
    const server = await start();
    expect(await send(server, '/team', 'x'.repeat(100 * kib))).toEqual({ bytes: 100 * kib });
    expect(await send(server, '/unknown', 'x'.repeat(100 * kib))).toEqual({ bytes: null });
  });

  test('refuses a body above the limit by its declared length, or when the limit is exceeded', async () => {
    const server = await start();
    expect(await statusOf(await begin(server, '/team', signed(257 * kib)))).toBe(413);
    const chunk = `${(257 * kib).toString(16)}\r\n${'x'.repeat(257 * kib)}\r\n`;
    const chunked = await begin(server, '/team', ['x-signature: x', 'transfer-encoding: chunked'], chunk);
    expect(await statusOf(chunked)).toBe(413);
  });

  test('answers 503 to a tenant whose bodies have used up its share, and continues to serve other tenants', async () => {
    const { server, held } = await startHeld();
    const half = 'x'.repeat(129 * kib);
    const asked = once(held, 'asked');
    const answer = send(server, '/held', half);
    await asked;
    expect(await send(server, '/held', half)).toBe(503);
    expect(await send(server, '/other', half)).toEqual({ bytes: 129 * kib });
    held.emit('release');
    expect(await answer).toEqual({ bytes: 129 * kib });
  });

  test('releases the budget of a request whose connection ends before its answer', async () => {
    const { server, held } = await startHeld();
    const half = 'x'.repeat(129 * kib);
    const asked = once(held, 'asked');
    const left = await begin(server, '/held', signed(129 * kib), half);
    await asked;
    expect(await send(server, '/held', half)).toBe(503);
    left.destroy();
    held.on('asked', () => held.emit('release'));
    await eventually(async () => expect(await send(server, '/held', half)).toEqual({ bytes: 129 * kib }));
  });

  test.each([
    ['many bodies', 8, '1'],
    ['large bodies', 4, 'x'.repeat(250 * kib)],
  ])('is served while other clients stop in the middle of %s', async (_what, count, part) => {
    const server = await start();
    for (let index = 0; index < count; index++)
      await begin(server, `/tenant${index}`, signed(255 * kib), part);
    await eventually(async () => {
      for (const tenant of ['/tenant0', '/team'])
        expect(await send(server, tenant, 'x'.repeat(200 * kib))).toEqual({ bytes: 200 * kib });
    });
  });

  test('is served to a new client while other clients keep as many connections open as they can', async () => {
    const server = await start({ maxConnections: 2 });
    for (let count = 0; count < 5; count++) await connected(server);
    expect(await send(server, '/team', 'x')).toEqual({ bytes: 1 });
  });

  test('keeps the connection of a request that is in progress, and closes an idle one instead', async () => {
    const server = await start({ maxConnections: 2 });
    const used = await inProgress(server);
    const idle = await connected(server);
    const closed = once(idle.resume(), 'close');
    expect(await send(server, '/team', 'x')).toEqual({ bytes: 1 });
    await closed;
    used.write('0123456789');
    expect(await statusOf(used)).toBe(200);
  });

  test('closes the oldest connection beyond the limit if requests are in progress on all of them', async () => {
    const server = await start({ maxConnections: 2 });
    const [oldest, other] = [await inProgress(server), await inProgress(server)];
    const closed = once(oldest.resume(), 'close');
    expect(await send(server, '/team', 'x')).toEqual({ bytes: 1 });
    await closed;
    other.write('0123456789');
    expect(await statusOf(other)).toBe(200);
  });
});
