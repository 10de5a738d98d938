import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock, type Clock } from '@interlock/base';
import { FakeClock, recordLog } from '@interlock/base/testing';
import { parseFlags } from '@interlock/service/flags';
import { generate } from 'selfsigned';
import { startProxy, type RunningProxy } from '../src/app.js';
import type { AuditRecord } from '../src/audit/audit.js';
import { proxyFlags } from '../src/flags.js';
import type { RelayEngine } from '../src/relay/engine.js';
import { handlesEngine } from '../src/relay/handles/handles-engine.js';
import { socketsEngine } from '../src/relay/sockets/sockets-engine.js';

const publicAddress = '140.82.121.4';
let target: Server;
let targetPort: number;
beforeAll(async () => {
  target = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  ({ port: targetPort } = target.address() as AddressInfo);
});
afterAll(() => void target.close());

interface Setup {
  proxy: RunningProxy;
  audit: AuditRecord[];
  /** What was dialled. */
  dialled: string[];
}

const running: { proxy: RunningProxy; sockets: Socket[] }[] = [];
afterEach(async () => {
  const hurry = AbortSignal.abort();
  for (const { proxy, sockets } of running.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await proxy.drain(hurry);
  }
});

const handles = handlesEngine();

interface SetupOptions {
  engine?: RelayEngine;
  clock?: Clock;
  answers?: Record<string, readonly string[]>;
}

/** Starts a proxy whose names are those of a table, and whose every address is that of the test's target. */
async function start(args: readonly string[] = [], options: SetupOptions = {}): Promise<Setup> {
  const { clock = systemClock, engine = handles, answers = { 'github.com': [publicAddress] } } = options;
  const argv = ['--bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0', ...args];
  const definition = { name: 'test', description: 'test', version: '0', flags: proxyFlags({}) };
  const parsed = parseFlags(definition, argv, {});
  if ('text' in parsed) throw new Error(parsed.text);
  const audit: AuditRecord[] = [];
  const dialled: string[] = [];
  const proxy = await startProxy({
    flags: parsed.values,
    log: recordLog(),
    engine,
    clock,
    lookup: (host) => Promise.resolve(answers[host] ?? []),
    dial: (address, port, attempt) => {
      dialled.push(`${address}:${port}`);
      return engine.dial('127.0.0.1', targetPort, attempt);
    },
    audit: (record) => void audit.push(record),
  });
  running.push({ proxy, sockets: [] });
  return { proxy, audit, dialled };
}

async function connected({ proxy: { port } }: Setup): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => undefined);
  running.at(-1)?.sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Reads until a text has come, or the end. */
function read(socket: Socket, until?: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (until !== undefined && text.endsWith(until)) resolve(text);
    });
    socket.on('close', () => resolve(text));
  });
}

async function ask(setup: Setup, request: string, until?: string): Promise<string> {
  const socket = await connected(setup);
  socket.write(request);
  return read(socket, until);
}

const established = 'HTTP/1.1 200 Connection Established\r\n\r\n';
const requestOf = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;

/** Returns what a path of the probes answers. */
async function probe(
  { proxy: { healthPort } }: Setup,
  path: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${healthPort}${path}`);
  return { status: response.status, text: await response.text() };
}

describe('a tunnel', () => {
  it('carries what comes behind its request, and is recorded', async () => {
    const setup = await start();
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

  it('is dialled at the address that was checked, though the name has another one by then', async () => {
    let asked = 0;
    const answers = {
      get 'github.com'(): readonly string[] {
        asked += 1;
        return asked === 1 ? [publicAddress] : ['169.254.169.254'];
      },
    };
    const setup = await start([], { answers });
    const socket = await connected(setup);
    socket.write(requestOf('github.com:443'));
    await read(socket, established);
    expect(setup.dialled).toEqual([`${publicAddress}:443`]);
    const later = await start([], { answers });
    expect(await ask(later, requestOf('github.com:443'))).toContain('X-Proxy-Reason: AddressNotAllowed');
    expect(later.dialled).toEqual([]);
  });

  it('ends when no byte comes for long enough', async () => {
    const clock = new FakeClock();
    const setup = await start(['--idle-timeout=1m'], { clock });
    const socket = await connected(setup);
    socket.write(requestOf('github.com:443'));
    await read(socket, established);
    await clock.advance(59_000);
    expect(setup.audit).toEqual([]);
    await clock.advance(3_000);
    expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'idleTimeout' })]);
  });
});

describe('a request that gets no tunnel', () => {
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
  ])('%j is answered with %i and %s', async (request, status, reason, outcome) => {
    const setup = await start(['--allowed-hosts=github.com,*.example'], { answers });
    const answer = await ask(setup, request);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`X-Proxy-Reason: ${reason}\r\n`);
    expect(setup.audit).toEqual([expect.objectContaining({ outcome, reason, bytesUp: 0 })]);
    expect(setup.dialled).toEqual([]);
  });

  it('is ended when it does not come in time', async () => {
    const clock = new FakeClock();
    const setup = await start([], { clock });
    const socket = await connected(setup);
    const answer = read(socket);
    socket.write('CONNECT github');
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
    await clock.advance(5_000);
    expect(await answer).toContain('X-Proxy-Reason: HeadTimeout');
  });

  it('finds room again when others are gone', async () => {
    const setup = await start(['--max-tunnels=1']);
    const first = await connected(setup);
    first.write(requestOf('github.com:443'));
    await read(first, established);
    expect(await ask(setup, requestOf('github.com:443'))).toContain('X-Proxy-Reason: TooManyTunnels');
    first.destroy();
    await setup.proxy.context.tunnels.empty();
    expect(await ask(setup, requestOf('github.com:443'), established)).toBe(established);
  });

  it('leaves nothing behind, thousands of times', async () => {
    const setup = await start(['--allowed-hosts=github.com']);
    for (let batch = 0; batch < 40; batch++) {
      const answers = Array.from({ length: 50 }, () => ask(setup, requestOf('evil.example:443')));
      for (const answer of await Promise.all(answers)) expect(answer).toContain('HostNotAllowed');
    }
    expect((await probe(setup, '/metrics')).text).toContain(
      'actions_gateway_proxy_connect_denied_total 2000\n',
    );
    const { admission } = setup.proxy.context;
    while (admission.open > 0) await new Promise(setImmediate);
    expect(setup.audit).toHaveLength(2000);
  });
});

describe('the end of a proxy', () => {
  it('waits for its tunnels, and takes no others', async () => {
    const setup = await start(['--shutdown-linger=0s']);
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
    await drained;
    expect(setup.audit).toEqual([expect.objectContaining({ outcome: 'completed', bytesUp: 10 })]);
  });
});

describe('a proxy with TLS', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'interlock-proxy-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Writes a new certificate. Returns it in PEM. */
  async function certify(): Promise<string> {
    const issued = await generate([{ name: 'commonName', value: 'proxy' }], {
      keyType: 'ec',
      curve: 'P-256',
    });
    await writeFile(join(folder, 'tls.crt'), issued.cert);
    await writeFile(join(folder, 'tls.key'), issued.private);
    return issued.cert;
  }

  async function tunnel({ proxy: { port } }: Setup, ca: string): Promise<TLSSocket> {
    const socket = connectTls({ port, host: '127.0.0.1', ca, checkServerIdentity: () => undefined });
    socket.on('error', () => undefined);
    running.at(-1)?.sockets.push(socket);
    await once(socket, 'secureConnect');
    socket.write(requestOf('github.com:443'));
    await read(socket, established);
    return socket;
  }

  it('replaces its certificate while tunnels are open', async () => {
    const first = await certify();
    const files = ['crt', 'key'].map((end) => join(folder, `tls.${end}`));
    const setup = await start([`--tls-cert-file=${files[0]}`, `--tls-key-file=${files[1]}`], {
      engine: socketsEngine,
    });
    const old = await tunnel(setup, first);
    const second = await certify();
    await setup.proxy.listener.refreshCertificate();
    const fresh = await tunnel(setup, second);
    for (const socket of [old, fresh]) {
      socket.write('ping');
      await read(socket, 'ping');
    }
    await writeFile(join(folder, 'tls.key'), 'no key');
    await setup.proxy.listener.refreshCertificate();
    await tunnel(setup, second);
    expect(setup.proxy.context.tunnels.size).toBe(3);
  });
});
