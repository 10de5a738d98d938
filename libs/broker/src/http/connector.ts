import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { bypassesProxy } from './no-proxy.js';

export type ConnectedSocket = Socket | TLSSocket;
/** Opens a connection to an origin, over the proxy where one is set. Rejects when it is not open in time. */
export type Connect = (url: URL, protocols: readonly string[]) => Promise<ConnectedSocket>;

export interface ProxyOptions {
  /** `http://` or `https://`, with a user and a password if it needs them. */
  url: string;
  /** As the variable `NO_PROXY`: names, suffixes, addresses, ranges and `*`, with commas. */
  noProxy?: string | undefined;
}

export interface ConnectorOptions {
  /** Certificates in PEM that are trusted beside those of Node.js, for the hosts and for the proxy. */
  ca?: string | undefined;
  proxy?: ProxyOptions | undefined;
  /** Milliseconds until a connection is open, that to the proxy included. Default: 10,000. */
  connectTimeoutMs?: number | undefined;
}

const keepAliveMs = 30_000;

/** Creates the function that opens connections. */
export function createConnector(options: ConnectorOptions): Connect {
  /* One for all connections: reading the certificates takes milliseconds, and memory. */
  const context = createSecureContext(
    options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] },
  );
  const timeoutMs = options.connectTimeoutMs ?? 10_000;
  return (url, protocols) =>
    within(timeoutMs, (track) => open(url, protocols, options.proxy, context, track));
}

type Track = <S extends Socket>(socket: S) => S;

async function open(
  url: URL,
  protocols: readonly string[],
  proxy: ProxyOptions | undefined,
  context: SecureContext,
  track: Track,
): Promise<ConnectedSocket> {
  const isDirect = proxy === undefined || bypassesProxy(url, proxy.noProxy ?? '');
  const tcp = isDirect ? await openTcp(url, track) : await tunnel(url, new URL(proxy.url), context, track);
  return url.protocol === 'https:' ? openTls(tcp, url, protocols, context, track) : tcp;
}

async function openTcp(url: URL, track: Track): Promise<Socket> {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const socket = track(
    connectTcp({
      host: hostOf(url),
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMs,
    }),
  );
  await once(socket, 'connect');
  return socket;
}

async function openTls(
  socket: Socket,
  url: URL,
  protocols: readonly string[],
  context: SecureContext,
  track: Track,
): Promise<TLSSocket> {
  const host = hostOf(url);
  const secure = track(
    connectTls({
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: [...protocols],
      secureContext: context,
    }),
  );
  await once(secure, 'secureConnect');
  return secure;
}

/** RFC 9110, 9.3.6. The user and the password of the proxy go to the proxy alone. */
async function tunnel(url: URL, proxy: URL, context: SecureContext, track: Track): Promise<Socket> {
  const tcp = await openTcp(proxy, track);
  const hop = proxy.protocol === 'https:' ? await openTls(tcp, proxy, ['http/1.1'], context, track) : tcp;
  const target = `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port}`;
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
