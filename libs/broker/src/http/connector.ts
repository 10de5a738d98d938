import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { LRUCache } from 'lru-cache';
import { bypassesProxy } from './no-proxy.js';
import { ReceivedBytes } from './received-bytes.js';

export type ConnectedSocket = Socket | TLSSocket;

/** A connection whose bytes have one reader. */
export interface OpenConnection {
  socket: ConnectedSocket;
  received: ReceivedBytes;
}

/** Opens a connection to an origin, through the proxy if one is set. Rejects when it is not open in time. */
export type Connect = (url: URL, protocols: readonly string[]) => Promise<OpenConnection>;

export interface ProxyOptions {
  /** A URL with `http://` or `https://`, and with a user and a password if needed. */
  url: string;
  /** In the format of the variable `NO_PROXY`: names, suffixes, addresses, ranges and `*`, separated by commas. */
  noProxy?: string | undefined;
}

export interface ConnectorOptions {
  /** PEM certificates that are trusted in addition to those of Node.js, for the hosts and for the proxy. */
  ca?: string | undefined;
  proxy?: ProxyOptions | undefined;
  /** The timeout for opening a connection in milliseconds, including the connection to the proxy. Default: 10,000. */
  connectTimeoutMs?: number | undefined;
}

const keepAliveMs = 30_000;
const maxSessions = 256;
/** Maximum number of bytes that Node.js reads at once. */
const readBytes = 64 * 1024;

/** Creates the function that opens connections. */
export function createConnector(options: ConnectorOptions): Connect {
  /* One context for all connections: reading the certificates takes milliseconds and memory. */
  const context = createSecureContext(
    options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] },
  );
  const tls: TlsOptions = { context, sessions: new LRUCache({ max: maxSessions }) };
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  const timeoutMs = options.connectTimeoutMs ?? 10_000;
  return async (url, protocols) => {
    const received = new ReceivedBytes();
    const socket = await within(timeoutMs, (track) =>
      open(url, protocols, options.proxy, { tls, track, buffer, received }),
    );
    return { socket, received };
  };
}

type Track = <S extends Socket>(socket: S) => S;

interface Opening {
  tls: TlsOptions;
  track: Track;
  /** The buffer into which connections read that pass on what they receive. */
  buffer: Buffer;
  /** Undefined for the connection to the proxy. */
  received: ReceivedBytes | undefined;
}

interface TlsOptions {
  context: SecureContext;
  /**
   * The latest TLS session of each origin, which new connections resume: this saves a signature on both sides, and the memory of the
   * certificates.
   */
  sessions: LRUCache<string, Buffer>;
}

async function open(
  url: URL,
  protocols: readonly string[],
  proxy: ProxyOptions | undefined,
  opening: Opening,
): Promise<ConnectedSocket> {
  const isSecure = url.protocol === 'https:';
  if (proxy === undefined || bypassesProxy(url, proxy.noProxy ?? '')) {
    return isSecure ? openTls(undefined, url, protocols, opening) : openTcp(url, opening);
  }
  const { received } = opening;
  const tunnelled = await tunnel(url, new URL(proxy.url), { ...opening, received: undefined });
  const socket = isSecure ? await openTls(tunnelled, url, protocols, opening) : tunnelled;
  /* A socket over another one cannot read into a buffer. */
  return received === undefined ? socket : socket.on('data', received.take);
}

async function openTcp(url: URL, opening: Opening): Promise<Socket> {
  const options = { host: hostOf(url), port: portOf(url), ...readOptions(opening) };
  const socket = opening.track(connectTcp(options));
  await once(socket, 'connect');
  return tuned(socket);
}

/** @param tunnelled undefined: a separate connection, which takes less memory than one over another socket */
async function openTls(
  tunnelled: Socket | undefined,
  url: URL,
  protocols: readonly string[],
  opening: Opening,
): Promise<TLSSocket> {
  const { context, sessions } = opening.tls;
  const host = hostOf(url);
  const origin = `${url.host} ${protocols.join()}`;
  const session = sessions.get(origin);
  const secure = opening.track(
    connectTls({
      ...(tunnelled === undefined ? { port: portOf(url), ...readOptions(opening) } : { socket: tunnelled }),
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: encodedProtocols(protocols),
      secureContext: context,
      session,
    }),
  );
  secure.once('session', (latest) => {
    /* A resumed session does not check the name of the host again. */
    if (secure.authorized) sessions.set(origin, latest);
  });
  try {
    await once(secure, 'secureConnect');
  } catch (error) {
    sessions.delete(origin);
    throw error;
  }
  return tunnelled === undefined ? tuned(secure) : secure;
}

/** Returns the option by which a new socket reads into the buffer, instead of 64 KiB that Node.js allocates for each read. */
function readOptions({ buffer, received }: Opening): { onread?: OnReadOpts } {
  if (received === undefined) return {};
  const callback = (length: number): boolean => {
    received.take(buffer.subarray(0, length));
    return true;
  };
  return { onread: { buffer, callback } };
}

/**
 * Encodes the names for ALPN (RFC 7301, 3.1). Node.js copies a list or a Buffer into a block of 8 KiB for each
 * connection, which then keeps the block in memory; of other views it copies only the bytes.
 */
function encodedProtocols(protocols: readonly string[]): DataView {
  const bytes = Buffer.concat(protocols.map((name) => Buffer.from([name.length, ...Buffer.from(name)])));
  const view = new DataView(new ArrayBuffer(bytes.length));
  for (const [at, byte] of bytes.entries()) view.setUint8(at, byte);
  return view;
}

function tuned<S extends Socket>(socket: S): S {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveMs);
  return socket;
}

/** Opens a tunnel (RFC 9110, 9.3.6). The user and the password of the proxy are sent only to the proxy. */
async function tunnel(url: URL, proxy: URL, opening: Opening): Promise<Socket> {
  const isSecure = proxy.protocol === 'https:';
  const hop = isSecure
    ? await openTls(undefined, proxy, ['http/1.1'], opening)
    : await openTcp(proxy, opening);
  const target = `${url.hostname}:${portOf(url)}`;
  const request = requestHttp({
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...authorizationFor(proxy) },
    createConnection: () => hop,
    maxHeaderSize: 16 * 1024,
  });
  request.end();
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', ({ statusCode }) => reject(refusedTunnel(statusCode)));
    request.once('connect', ({ statusCode }, socket: Socket, rest) => {
      if (statusCode !== 200) {
        reject(refusedTunnel(statusCode));
        return;
      }
      if (rest.length > 0) socket.unshift(rest);
      resolve(socket);
    });
  });
}

function authorizationFor({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function refusedTunnel(status: number | undefined): Error {
  return Object.assign(new Error('the proxy refuses the tunnel'), { code: `PROXY_${status ?? 'CLOSED'}` });
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Runs the steps of a connection; when they fail or take too long, every socket that they opened is closed. */
async function within<T>(ms: number, steps: (track: Track) => Promise<T>): Promise<T> {
  const sockets: Socket[] = [];
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('timeout'), { code: 'CONNECT_TIMEOUT' })), ms);
  });
  const track: Track = (socket) => {
    sockets.push(socket);
    return socket;
  };
  try {
    return await Promise.race([steps(track), expired]);
  } catch (error) {
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.destroy();
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
