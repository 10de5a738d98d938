import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { issueAuthority } from '../certificates/issue.js';
import { createLogger } from '../logging/logger.js';
import { Probe } from './probes.js';
import { startServer, type RunningServer, type ServerOptions } from './server.js';

const lines: string[] = [];
const log = createLogger({ component: 'test', destination: { write: (line) => lines.push(line) } });
const open: RunningServer[] = [];

async function started(routes: ServerOptions['routes']): Promise<string> {
  const server = await startServer({ name: 'test', address: { host: '127.0.0.1', port: 0 }, routes }, log);
  open.push(server);
  return `http://${server.address}`;
}

afterEach(async () => {
  lines.splice(0);
  await Promise.all(open.splice(0).map((server) => server.close()));
});

test('reports each check of a probe, which passes only if all of its checks pass', async () => {
  const probe = new Probe(20);
  const url = await started((server) => probe.serve(server, '/readyz'));
  const ask = async () => {
    const { statusCode, body } = await request(`${url}/readyz`);
    return { statusCode, text: await body.text() };
  };
  expect(await ask()).toEqual({ statusCode: 200, text: 'check passed\n' });
  probe.add('cache', () => true);
  expect(await ask()).toEqual({ statusCode: 200, text: '[+]cache ok\ncheck passed\n' });
  probe.add('false', () => false);
  probe.add('throws', () => Promise.reject(new Error('x')));
  probe.add('hangs', () => new Promise(() => undefined));
  expect(await ask()).toEqual({
    statusCode: 503,
    text: '[+]cache ok\n[-]false failed\n[-]throws failed\n[-]hangs failed\ncheck failed\n',
  });
});

test('passes bodies to a route as bytes, whatever their content type', async () => {
  const url = await started((server) => {
    server.post('/', async ({ body }) => ({ bytes: Buffer.isBuffer(body) ? body.toString('hex') : null }));
  });
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'x/y']) {
    const { body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': type },
      body: Buffer.from([0, 255, 123]),
    });
    expect(await body.json()).toEqual({ bytes: '00ff7b' });
  }
});

test('logs an error inside a route and does not reveal it', async () => {
  const url = await started((server) => {
    server.get('/x', () => Promise.reject(new Error('password of the database')));
  });
  const { statusCode, body } = await request(`${url}/x`);
  expect({ statusCode, body: await body.json() }).toEqual({
    statusCode: 500,
    body: { error: 'internal error' },
  });
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    level: 'error',
    msg: 'request failed',
    route: '/x',
  });
});

test('listens on all addresses if the host is omitted', async () => {
  const server = await startServer(
    { name: 'all', address: { host: undefined, port: 0 }, routes: () => undefined },
    log,
  );
  open.push(server);
  expect(server.address).toBe(`:${server.port}`);
  const { statusCode, body } = await request(`http://127.0.0.1:${server.port}/absent`);
  await body.dump();
  expect(statusCode).toBe(404);
});

test('waits for answers in progress when it ends, but not for idle connections', async () => {
  const signals = new EventEmitter();
  const asked = once(signals, 'asked');
  const url = await started((server) => {
    server.get('/slow', async () => {
      signals.emit('asked');
      await once(signals, 'goOn');
      return 'done';
    });
  });
  const [server] = open.splice(0);
  const unused = connect(Number(new URL(url).port), '127.0.0.1');
  await once(unused, 'connect');
  const answer = request(`${url}/slow`);
  await asked;
  const ended = server?.close();
  await once(unused.resume(), 'end');
  signals.emit('goOn');
  const { statusCode, body } = await answer;
  expect({ statusCode, text: await body.text() }).toEqual({ statusCode: 200, text: 'done' });
  await ended;
});

/* Go's transport, which the API server uses for webhooks, drops idle connections itself after 90 s (http.DefaultTransport). */
test('keeps idle connections longer than the API server, which would send its next review on a closed one', async () => {
  const url = await started((server) => {
    server.get('/', async () => 'done');
  });
  const { headers, body } = await request(url);
  await body.dump();
  const [, seconds] = /^timeout=(\d+)$/.exec(String(headers['keep-alive'])) ?? [];
  expect(Number(seconds)).toBeGreaterThan(90);
});

test('waits for answers over TLS when it ends, but not for connections without a handshake', async () => {
  const certificate = await issueAuthority('test', Date.now());
  const signals = new EventEmitter();
  const asked = once(signals, 'asked');
  const routes = (server: Parameters<ServerOptions['routes']>[0]) => {
    server.get('/slow', async () => {
      signals.emit('asked');
      await once(signals, 'goOn');
      return 'done';
    });
  };
  const tls = { current: () => certificate, onChange: () => () => undefined };
  const server = await startServer(
    { name: 'test', address: { host: '127.0.0.1', port: 0 }, routes, tls },
    log,
  );
  const silent = connect(server.port, '127.0.0.1');
  await once(silent, 'connect');
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const answer = request(`https://${server.address}/slow`, { dispatcher });
  await asked;
  const ended = server.close();
  await once(silent.resume(), 'close');
  signals.emit('goOn');
  const { statusCode, body } = await answer;
  expect({ statusCode, text: await body.text() }).toEqual({ statusCode: 200, text: 'done' });
  await ended;
  await dispatcher.close();
});
