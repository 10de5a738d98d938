import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { connect as connectTcp, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { handlesEngine } from '../src/relay/handles/handles-engine.js';
import { socketsEngine } from '../src/relay/sockets/sockets-engine.js';
import { heldBytes } from '../src/relay/held.js';
import { pattern } from '../src/testing/pattern.js';
import {
  ask,
  certify,
  connected,
  established,
  read,
  requestOf,
  tlsFlags,
  tunnelOver,
  useProxies,
} from './harness/proxies.js';

const mebibyte = 1024 * 1024;
/** Bytes in each direction. */
const bulk = (process.env['INTERLOCK_LONG_TESTS'] === '1' ? 1024 : 16) * mebibyte;
const proxies = useProxies();
const splitters = new Set<Server>();
afterEach(() => {
  for (const server of splitters) server.close();
  splitters.clear();
});

type Setup = Awaited<ReturnType<typeof proxies.start>>;

/** Listens for clients whose bytes `pass` sends to the proxy. Returns the port. */
async function splitter(setup: Setup, pass: (bytes: Buffer, proxy: Socket) => void): Promise<number> {
  const server = createServer({ noDelay: true }, (client) => {
    const proxy = connectTcp({ port: setup.proxy.port, host: '127.0.0.1', noDelay: true });
    setup.sockets.push(client, proxy);
    client.on('data', (bytes) => pass(bytes, proxy));
    proxy.on('error', () => undefined).pipe(client);
  });
  splitters.add(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe.each([socketsEngine, handlesEngine()])('a proxy with TLS that connects by $name', (engine) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'interlock-proxy-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('replaces its certificate while tunnels are open', async () => {
    const first = await certify(folder);
    const setup = await proxies.start(tlsFlags(folder), { engine });
    const old = await tunnelOver(setup, first);
    const second = await certify(folder);
    await setup.proxy.listener.refreshCertificate();
    const fresh = await tunnelOver(setup, second);
    for (const socket of [old, fresh]) {
      socket.write('ping');
      await read(socket, 'ping');
    }
    await writeFile(join(folder, 'tls.key'), 'no key');
    await setup.proxy.listener.refreshCertificate();
    await tunnelOver(setup, second);
    expect(setup.proxy.context.tunnels.size).toBe(3);
  });

  it('serves a client without TLS on the same port', async () => {
    await certify(folder);
    const setup = await proxies.start(tlsFlags(folder), { engine });
    const socket = await connected(setup);
    socket.write('C');
    socket.write(requestOf('github.com:443').slice(1) + 'early');
    await read(socket, `${established}early`);
    socket.write('ping');
    await read(socket, 'ping');
    expect(await ask(setup, 'GET http://github.com/ HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('closes a client that sends nothing in time, or ends its stream first', async () => {
    await certify(folder);
    const setup = await proxies.start([...tlsFlags(folder), '--head-timeout=1s'], { engine });
    const [silent, ended] = [await connected(setup), await connected(setup)];
    ended.end();
    expect(await Promise.all([read(silent), read(ended)])).toEqual(['', '']);
    await setup.proxy.listener.empty();
    expect(setup.audit).toEqual([]);
  });

  it('serves no client without TLS when client certificates are required', async () => {
    await certify(folder);
    const authorities = `--tls-client-ca-file=${join(folder, 'tls.crt')}`;
    const setup = await proxies.start([...tlsFlags(folder), authorities], { engine });
    expect(await ask(setup, requestOf('github.com:443'))).toMatch(
      /^HTTP\/1\.1 400 [^]*\nTlsRequired: .* connect to it with TLS/,
    );
    expect(setup.dialled).toEqual([]);
  });

  it('serves a client whose first byte of TLS arrives alone', async () => {
    const ca = await certify(folder);
    const setup = await proxies.start(tlsFlags(folder), { engine });
    const port = await splitter(setup, (bytes, proxy) =>
      proxy.write(bytes.subarray(0, 1), () => proxy.write(bytes.subarray(1))),
    );
    const socket = await tunnelOver(setup, ca, port);
    socket.write('ping');
    await read(socket, 'ping');
  });

  it('answers a client without TLS when it is full, and resets a client with TLS', async () => {
    const ca = await certify(folder);
    const setup = await proxies.start(
      [...tlsFlags(folder), '--max-tunnels=2', '--max-tunnels-per-client=2'],
      { engine },
    );
    const open = [await tunnelOver(setup, ca), await connected(setup)];
    open[1]?.write(requestOf('github.com:443'));
    await read(open[1] as Socket, established);
    expect(await ask(setup, requestOf('github.com:443'))).toMatch(
      /^HTTP\/1\.1 503 [^]*\nX-Proxy-Reason: TooManyTunnels\b/,
    );
    await expect(tunnelOver(setup, ca)).rejects.toMatchObject({ code: 'ECONNRESET' });
    for (const socket of open) socket.destroy();
    await setup.proxy.listener.empty();
    await tunnelOver(setup, ca);
  });

  it('finishes the tunnels of both certificates when it drains', async () => {
    const first = await certify(folder);
    const setup = await proxies.start([...tlsFlags(folder), '--shutdown-linger=0s'], {
      engine,
    });
    const old = await tunnelOver(setup, first);
    const second = await certify(folder);
    await setup.proxy.listener.refreshCertificate();
    const fresh = await tunnelOver(setup, second);
    let isDrained = false;
    const drained = setup.proxy.drain(new AbortController().signal).then(() => (isDrained = true));
    for (const socket of [old, fresh]) {
      socket.write('still here');
      await read(socket, 'still here');
      expect(isDrained).toBe(false);
      socket.end();
      await once(socket, 'close');
    }
    await drained;
    expect(setup.audit.map(({ outcome, bytesUp, bytesDown }) => [outcome, bytesUp, bytesDown])).toEqual([
      ['completed', 10, 10],
      ['completed', 10, 10],
    ]);
  });

  it('reports a reset in the middle of a record', async () => {
    const ca = await certify(folder);
    const setup = await proxies.start(tlsFlags(folder), { engine });
    let isCut = false;
    const port = await splitter(setup, (bytes, proxy) => {
      if (isCut) proxy.write(bytes.subarray(0, 10), () => proxy.resetAndDestroy());
      else proxy.write(bytes);
    });
    const socket = await tunnelOver(setup, ca, port);
    isCut = true;
    socket.write('ping');
    await setup.proxy.listener.empty();
    await setup.proxy.context.tunnels.empty();
    expect(setup.audit.map(({ outcome }) => outcome)).toEqual(['clientReset']);
  });

  it('relays bulk data in both directions without changing a byte', async () => {
    const ca = await certify(folder);
    const setup = await proxies.start(tlsFlags(folder), { engine });
    const socket = await tunnelOver(setup, ca);
    let received = 0;
    let isExact = true;
    socket.on('data', (chunk: Buffer) => {
      isExact &&= pattern(received, chunk.length).equals(chunk);
      received += chunk.length;
    });
    const ended = once(socket, 'end');
    for (let sent = 0; sent < bulk; sent += mebibyte)
      if (!socket.write(pattern(sent, mebibyte))) await once(socket, 'drain');
    socket.end();
    await ended;
    expect([received, isExact]).toEqual([bulk, true]);
    await setup.proxy.context.tunnels.empty();
    expect(setup.audit).toEqual([
      expect.objectContaining({ outcome: 'completed', bytesUp: bulk, bytesDown: bulk }),
    ]);
  }, 600_000);

  it('resets the tunnel that holds the most bytes when too many are held', async () => {
    const ca = await certify(folder);
    const setup = await proxies.start(tlsFlags(folder), { engine });
    const { context } = setup.proxy;
    const [stuck, idle] = [await tunnelOver(setup, ca), await tunnelOver(setup, ca)];
    stuck.pause();
    stuck.write(pattern(0, 64 * mebibyte));
    while (heldBytes.bytes === 0) await new Promise(setImmediate);
    context.tunnels.cutHolders(1);
    expect(context.metrics.cutForMemory).toBe(1);
    await new Promise((resolve) => void stuck.once('close', resolve));
    idle.write('ping');
    await read(idle, 'ping');
    expect(setup.audit.map(({ outcome }) => outcome)).toEqual(['memoryExceeded']);
  });

  it('holds no bytes for a tunnel whose bytes are all sent', async () => {
    const ca = await certify(folder);
    const setup = await proxies.start(tlsFlags(folder), { engine });
    const socket = await tunnelOver(setup, ca);
    socket.write('ping');
    await read(socket, 'ping');
    expect(heldBytes.bytes).toBe(0);
  });

  it('delivers every byte to a client that does not read for a while', async () => {
    const ca = await certify(folder);
    const setup = await proxies.start(tlsFlags(folder), { engine });
    const socket = await tunnelOver(setup, ca);
    socket.pause();
    socket.write(pattern(0, 32 * mebibyte));
    socket.end();
    while (heldBytes.bytes === 0) await new Promise(setImmediate);
    let received = 0;
    let isExact = true;
    socket.on('data', (chunk: Buffer) => {
      isExact &&= pattern(received, chunk.length).equals(chunk);
      received += chunk.length;
    });
    socket.resume();
    await once(socket, 'end');
    expect([received, isExact]).toEqual([32 * mebibyte, true]);
    await setup.proxy.context.tunnels.empty();
    expect(heldBytes.bytes).toBe(0);
  });
});
