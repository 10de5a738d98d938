import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import type { Attempt } from '../src/relay/attempt.js';
import { handlesEngine } from '../src/relay/handles/handles-engine.js';
import { socketsEngine } from '../src/relay/sockets/sockets-engine.js';
import {
  ask,
  connected,
  established,
  probe,
  publicAddress,
  read,
  requestOf,
  useProxies,
} from './harness/proxies.js';

const proxies = useProxies();
const engines = { handles: handlesEngine(), sockets: socketsEngine };
const deniedRequests = process.env['INTERLOCK_LONG_TESTS'] === '1' ? 100_000 : 2_000;

/** Returns the used bytes of the heap. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('a tunnel', () => {
  it('relays the bytes after its request, and is recorded', async () => {
    const setup = await proxies.start();
    const socket = await connected(setup);
    socket.write(`${requestOf('GitHub.com:443')}early`);
    expect(await read(socket, 'early')).toBe(`${established}early`);
    socket.end();
    await once(socket, 'close');
    await setup.proxy.context.tunnels.empty();
    expect(setup.dialled).toEqual([`${publicAddress}:443`]);
    expect(setup.audit).toEqual([
      expect.objectContaining({
        ...{ client: '127.0.0.1', host: 'github.com', port: 443, address: publicAddress },
        ...{ bytesUp: 5, bytesDown: 5, outcome: 'completed' },
      }),
    ]);
    const { text } = await probe(setup, '/metrics');
    expect(text).toContain('actions_gateway_proxy_connections_total 1\n');
    expect(text).toContain('actions_gateway_proxy_bytes_total{direction="up"} 5\n');
  });

  it('connects to the address that was checked, even if the name resolves to another address by then', async () => {
    let asked = 0;
    const answers = {
      get 'github.com'(): readonly string[] {
        asked += 1;
        return asked === 1 ? [publicAddress] : ['169.254.169.254'];
      },
    };
    const setup = await proxies.start([], { answers });
    const socket = await connected(setup);
    socket.write(requestOf('github.com:443'));
    await read(socket, established);
    expect(setup.dialled).toEqual([`${publicAddress}:443`]);
    const later = await proxies.start([], { answers });
    expect(await ask(later, requestOf('github.com:443'))).toContain('X-Proxy-Reason: AddressNotAllowed');
    expect(later.dialled).toEqual([]);
  });

  it.each([
    ['handles', 0],
    ['sockets', 0],
    ['handles', 3_000_000],
    ['sockets', 3_000_000],
  ] as const)(
    'delivers all data of a client that ends its half before its target is connected: engine %s, %i bytes',
    async (name, length) => {
      let connect: () => void = () => undefined;
      const isConnected = new Promise<void>((resolve) => (connect = resolve));
      const engine = engines[name];
      const setup = await proxies.start([], { engine, beforeDial: () => isConnected });
      const socket = await connected(setup);
      socket.write(requestOf('github.com:443'));
      while (setup.dialled.length === 0) await new Promise(setImmediate);
      const sent = 'x'.repeat(length);
      socket.end(sent);
      const response = read(socket);
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      connect();
      const received = await response;
      expect([received.length, received === established + sent]).toEqual([
        established.length + sent.length,
        true,
      ]);
      await setup.proxy.context.tunnels.empty();
      expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'completed', bytesUp: sent.length })]);
    },
  );

  it.each(['handles', 'sockets'] as const)(
    'is not opened if the client resets its connection before its target is connected, with the engine %s',
    async (name) => {
      const givenUp = (attempt: Attempt) =>
        new Promise<never>((_resolve, reject) => attempt.whenGivenUp(() => reject(new Error('given up'))));
      const setup = await proxies.start([], { engine: engines[name], beforeDial: givenUp });
      const socket = await connected(setup);
      socket.write(requestOf('github.com:443'));
      while (setup.dialled.length === 0) await new Promise(setImmediate);
      socket.resetAndDestroy();
      while (setup.audit.length === 0) await new Promise(setImmediate);
      expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'clientGone', bytesUp: 0 })]);
      expect(setup.proxy.context.metrics.dialErrors).toBe(0);
    },
  );

  it('does not keep the head of its request in memory', async () => {
    const host = 'a-name-that-is-a-part-of-the-head.example.com';
    const setup = await proxies.start([], { answers: { [host]: [publicAddress] } });
    const padding = `X-Padding: ${'p'.repeat(7_000)}\r\n`;
    const head = requestOf(`${host}:443`).replace('\r\n\r\n', `\r\n${padding}\r\n`);
    const open = async (count: number): Promise<number> => {
      for (let left = count; left > 0; left--) {
        const socket = await connected(setup);
        socket.write(head);
        await read(socket, established);
      }
      return usedHeap();
    };
    const before = await open(20);
    expect((await open(200)) - before).toBeLessThan(200 * padding.length);
  });

  it('ends when it is idle for too long', async () => {
    const clock = new FakeClock();
    const setup = await proxies.start(['--idle-timeout=1m'], { clock });
    const socket = await connected(setup);
    socket.write(requestOf('github.com:443'));
    await read(socket, established);
    await clock.advance(59_000);
    expect(setup.audit).toEqual([]);
    await clock.advance(3_000);
    expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'idleTimeout' })]);
  });
});

/** Returns a pattern of the body of a refusal, which states what is wrong, and what to do. */
const causeAndFix = (reason: string): string => `\\r\\n${reason}: [^;\\n]+; [^\\n]+\\n$`;

describe('a refused request', () => {
  const answers = { 'github.com': [publicAddress], 'inside.example': ['10.0.0.1'] };
  it.each([
    ['GET http://github.com/ HTTP/1.1\r\n\r\n', 405, 'MethodNotAllowed', 'malformed'],
    [requestOf('github.com:22'), 403, 'PortNotAllowed', 'denied'],
    [requestOf('example.org:443'), 403, 'HostNotAllowed', 'denied'],
    [requestOf('127.0.0.1:443'), 403, 'HostNotAllowed', 'denied'],
    [requestOf('inside.example:443'), 403, 'AddressNotAllowed', 'denied'],
    [requestOf('none.example:443'), 502, 'NameNotResolved', 'unreachable'],
    [`CONNECT github.com:443 HTTP/1.1\r\n${'a'.repeat(9_000)}`, 431, 'HeadTooLarge', 'malformed'],
    ['\u0000\u0001\r\n\r\n', 400, 'MalformedRequest', 'malformed'],
    ['CONNECT github.com:443 HTTP/2.0\r\n\r\n', 505, 'VersionNotSupported', 'malformed'],
    ['CONNECT github.com:443 HTTP/1.1\r\nhost: a b\r\n\r\n', 400, 'MalformedRequest', 'malformed'],
    [requestOf('github.com:0'), 400, 'MalformedRequest', 'malformed'],
  ])('%j is answered with %i and %s', async (request, status, reason, outcome) => {
    const setup = await proxies.start(['--allowed-hosts=github.com,*.example'], { answers });
    const answer = await ask(setup, request);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`X-Proxy-Reason: ${reason}\r\n`);
    expect(answer).toMatch(new RegExp(causeAndFix(reason)));
    expect(setup.audit).toEqual([expect.objectContaining({ outcome, reason, bytesUp: 0 })]);
    expect(setup.dialled).toEqual([]);
  });

  it('names the error of a failed lookup', async () => {
    const failing = {
      get 'github.com'(): readonly string[] {
        throw Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' });
      },
    };
    const setup = await proxies.start([], { answers: failing });
    const answer = await ask(setup, requestOf('github.com:443'));
    expect(answer).toContain('NameNotResolved: github.com could not be resolved (EAI_AGAIN)');
  });

  it('is answered with 408 when it is not complete in time', async () => {
    const clock = new FakeClock();
    const setup = await proxies.start([], { clock });
    const socket = await connected(setup);
    const answer = read(socket);
    socket.write('CONNECT github');
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
    await clock.advance(5_000);
    expect(await answer).toMatch(new RegExp(causeAndFix('HeadTimeout')));
  });

  it('can be repeated after other tunnels have ended', async () => {
    const setup = await proxies.start(['--max-tunnels=1']);
    const first = await connected(setup);
    first.write(requestOf('github.com:443'));
    await read(first, established);
    expect(await ask(setup, requestOf('github.com:443'))).toContain('X-Proxy-Reason: TooManyTunnels');
    first.destroy();
    await setup.proxy.context.tunnels.empty();
    expect(await ask(setup, requestOf('github.com:443'), established)).toBe(established);
  });

  it('does not leak memory over thousands of requests', async () => {
    const setup = await proxies.start(['--allowed-hosts=github.com']);
    const { admission } = setup.proxy.context;
    const deny = async (count: number): Promise<number> => {
      for (let batch = 0; batch < count / 50; batch++) {
        const answers = Array.from({ length: 50 }, () => ask(setup, requestOf('evil.example:443')));
        for (const answer of await Promise.all(answers)) expect(answer).toContain('HostNotAllowed');
        setup.sockets.splice(0);
      }
      while (admission.open > 0) await new Promise(setImmediate);
      expect(setup.audit.splice(0)).toHaveLength(count);
      return usedHeap();
    };
    const before = await deny(2_000);
    expect((await deny(deniedRequests)) - before).toBeLessThan(8 * 1024 * 1024);
    expect((await probe(setup, '/metrics')).text).toContain(
      `actions_gateway_proxy_connect_denied_total ${2_000 + deniedRequests}\n`,
    );
  }, 300_000);
});

describe('the shutdown of a proxy', () => {
  it('waits for open tunnels, and accepts no new ones', async () => {
    const setup = await proxies.start(['--shutdown-linger=0s']);
    const socket = await connected(setup);
    socket.write(requestOf('github.com:443'));
    await read(socket, established);
    expect(await probe(setup, '/readyz')).toMatchObject({ status: 200 });
    const drained = setup.proxy.drain(new AbortController().signal);
    expect(await probe(setup, '/readyz')).toMatchObject({ status: 503 });
    await expect(once(connectTcp(setup.proxy.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    socket.write('still here');
    await read(socket, 'still here');
    socket.end();
    expect(await drained).toBe(true);
    expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'completed', bytesUp: 10 })]);
  });

  it('is not complete if a tunnel is still open at its end', async () => {
    const setup = await proxies.start(['--shutdown-linger=0s', '--shutdown-drain=0s']);
    const socket = await connected(setup);
    socket.write(requestOf('github.com:443'));
    await read(socket, established);
    expect(await setup.proxy.drain(new AbortController().signal)).toBe(false);
    expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'cutAtShutdown' })]);
  });

  it.each(['handles', 'sockets'] as const)(
    'is not complete if it ends a request whose target is not connected yet, and records it: engine %s',
    async (name) => {
      const givenUp = (attempt: Attempt) =>
        new Promise<never>((_resolve, reject) => attempt.whenGivenUp(() => reject(new Error('given up'))));
      const flags = ['--shutdown-linger=0s', '--shutdown-drain=0s'];
      const setup = await proxies.start(flags, { engine: engines[name], beforeDial: givenUp });
      const socket = await connected(setup);
      socket.write(requestOf('github.com:443'));
      while (setup.dialled.length === 0) await new Promise(setImmediate);
      expect(await setup.proxy.drain(new AbortController().signal)).toBe(false);
      expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'cutAtShutdown', bytesUp: 0 })]);
    },
  );

  it('opens the tunnels that clients have already requested', async () => {
    let connect: () => void = () => undefined;
    const isConnected = new Promise<void>((resolve) => (connect = resolve));
    const setup = await proxies.start(['--shutdown-linger=0s'], { beforeDial: () => isConnected });
    const socket = await connected(setup);
    socket.write(requestOf('github.com:443'));
    while (setup.dialled.length === 0) await new Promise(setImmediate);
    const drained = setup.proxy.drain(new AbortController().signal);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    connect();
    expect(await read(socket, established)).toBe(established);
    socket.end();
    await drained;
    expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'completed' })]);
  });
});
