import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { systemClock, type Clock } from '@interlock/base';
import { recordLog } from '@interlock/base/testing';
import { parseFlags } from '@interlock/service/flags';
import { generate } from 'selfsigned';
import { startProxy, type RunningProxy } from '../../src/app.js';
import type { AuditRecord } from '../../src/audit/audit.js';
import { proxyFlags } from '../../src/flags.js';
import type { Attempt } from '../../src/relay/attempt.js';
import type { RelayEngine } from '../../src/relay/engine.js';
import { handlesEngine } from '../../src/relay/handles/handles-engine.js';

export const publicAddress = '140.82.121.4';
export const established = 'HTTP/1.1 200 Connection Established\r\n\r\n';
export const requestOf = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;

/** A proxy, and its records. */
interface Setup {
  proxy: RunningProxy;
  audit: AuditRecord[];
  /** The dialled addresses. */
  dialled: string[];
  sockets: Socket[];
}

interface SetupOptions {
  engine?: RelayEngine;
  clock?: Clock;
  answers?: Record<string, readonly string[]>;
  /** Delays the connections to targets. */
  beforeDial?: (attempt: Attempt) => Promise<unknown>;
}

/** The proxies of a test file. They resolve names by a table, and connect every address to an echo server. */
class Proxies {
  readonly #running: Setup[] = [];
  readonly #handles = handlesEngine();
  #target: Server | undefined;

  async open(): Promise<void> {
    this.#target = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
    this.#target.listen(0, '127.0.0.1');
    await once(this.#target, 'listening');
  }

  async start(args: readonly string[] = [], options: SetupOptions = {}): Promise<Setup> {
    const { clock = systemClock, engine = this.#handles } = options;
    const { answers = { 'github.com': [publicAddress] }, beforeDial } = options;
    const argv = ['--bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0', ...args];
    const definition = { name: 'test', description: 'test', version: '0', flags: proxyFlags };
    const parsed = parseFlags(definition, argv, {});
    if ('text' in parsed) throw new Error(parsed.text);
    const audit: AuditRecord[] = [];
    const dialled: string[] = [];
    const { port: targetPort } = this.#target?.address() as AddressInfo;
    const proxy = await startProxy({
      flags: parsed.values,
      log: recordLog(),
      engine,
      clock,
      lookup: (host) => Promise.resolve(answers[host] ?? []),
      dial: async (address, port, attempt) => {
        dialled.push(`${address}:${port}`);
        await beforeDial?.(attempt);
        return engine.dial('127.0.0.1', targetPort, attempt);
      },
      audit: (record) => void audit.push(record),
    });
    const setup: Setup = { proxy, audit, dialled, sockets: [] };
    this.#running.push(setup);
    return setup;
  }

  /** Ends all proxies with their tunnels. */
  async stop(): Promise<void> {
    const hurry = AbortSignal.abort();
    for (const { proxy, sockets } of this.#running.splice(0)) {
      for (const socket of sockets) socket.destroy();
      await proxy.drain(hurry);
    }
  }

  close(): void {
    this.#target?.close();
  }
}

/** Returns proxies that end with each test. */
export function useProxies(): Proxies {
  const proxies = new Proxies();
  beforeAll(() => proxies.open());
  afterEach(() => proxies.stop());
  afterAll(() => proxies.close());
  return proxies;
}

/** Connects to a proxy. */
export async function connected({ proxy: { port }, sockets }: Setup): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Reads until a text was received, or until the end. */
export function read(socket: Socket, until?: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (until === undefined || !text.endsWith(until)) return;
      socket.off('data', take);
      resolve(text);
    };
    socket.on('data', take);
    socket.on('close', () => resolve(text));
  });
}

/** Returns the response to a request. */
export async function ask(setup: Setup, request: string, until?: string): Promise<string> {
  const socket = await connected(setup);
  socket.write(request);
  return read(socket, until);
}

/** Returns the response to a request for a path of the probes. */
export async function probe(
  { proxy: { healthPort } }: Setup,
  path: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${healthPort}${path}`);
  return { status: response.status, text: await response.text() };
}

/** Writes a new certificate and its key to a folder. Returns the certificate in PEM. */
export async function certify(folder: string): Promise<string> {
  const issued = await generate([{ name: 'commonName', value: 'proxy' }], { keyType: 'ec', curve: 'P-256' });
  await writeFile(join(folder, 'tls.crt'), issued.cert);
  await writeFile(join(folder, 'tls.key'), issued.private);
  return issued.cert;
}

/** Returns the flags for the certificate of a folder. */
export function tlsFlags(folder: string): string[] {
  return [`--tls-cert-file=${join(folder, 'tls.crt')}`, `--tls-key-file=${join(folder, 'tls.key')}`];
}

/** Opens a tunnel over TLS. @param ca the certificate of the proxy in PEM */
export async function tunnelOver(
  { proxy, sockets }: Setup,
  ca: string,
  port = proxy.port,
): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', ca, checkServerIdentity: () => undefined });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'secureConnect');
  socket.write(requestOf('github.com:443'));
  await read(socket, established);
  return socket;
}
