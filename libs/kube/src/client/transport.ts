import { Pool, ProxyAgent, type Dispatcher } from 'undici';
import { TypedError } from '@interlock/api';
import type { CredentialsSource, TlsMaterial } from './credentials.js';

export interface HttpRequest {
  method: Dispatcher.HttpMethod;
  /** With the query, without the server's base path. */
  path: string;
  headers: Record<string, string | string[]>;
  body?: string;
}

/** Calls and watches have connections of their own, so that no number of watches can keep a call waiting. */
export type Lane = 'call' | 'watch';

export interface Transport {
  /** Label `host` of metrics. */
  readonly host: string;
  send(lane: Lane, request: HttpRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData>;
  /** Aborts when the transport is closed. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}

const connectTimeoutMs = 10_000;
const keepAliveTimeoutMs = 30_000;
const callConnections = 32;
/** One for each watch; a bound only against a leak. */
const watchConnections = 512;

interface Lanes {
  tlsKey: string;
  call: Dispatcher;
  watch: Dispatcher;
}

/**
 * HTTP/1.1 to one API server, over keep-alive connections that carry one request at a time.
 * A change of the TLS material (rotated certificates) opens new connections; the old ones end with their requests.
 */
export function createTransport(source: CredentialsSource): Transport {
  const { server, proxyUrl } = source;
  const basePath = server.pathname.replace(/\/$/, '');
  const retired = new Set<Promise<void>>();
  const closing = new AbortController();
  let lanes: Lanes | undefined;

  const lanesFor = (tls: TlsMaterial): Lanes => {
    const tlsKey = keyOfTls(tls);
    if (lanes?.tlsKey === tlsKey) return lanes;
    for (const old of lanes === undefined ? [] : [lanes.call, lanes.watch]) {
      const gone = old.close().finally(() => retired.delete(gone));
      retired.add(gone);
    }
    lanes = {
      tlsKey,
      call: openLane(server.origin, proxyUrl, tls, callConnections),
      watch: openLane(server.origin, proxyUrl, tls, watchConnections),
    };
    return lanes;
  };

  return {
    host: server.host,
    closed: closing.signal,
    async send(lane, request, signal) {
      const { headers, tls } = await source.current();
      closing.signal.throwIfAborted();
      return lanesFor(tls)[lane].request({
        origin: server.origin,
        method: request.method,
        path: basePath + request.path,
        headers: { ...request.headers, ...headers },
        body: request.body ?? null,
        signal,
      });
    },
    async close() {
      closing.abort(new TypedError('Permanent', 'the client is closed', { reason: 'ClientClosed' }));
      await Promise.all([lanes?.call.destroy(), lanes?.watch.destroy()]);
      await Promise.all(retired);
    },
  };
}

function openLane(
  origin: string,
  proxyUrl: string | undefined,
  tls: TlsMaterial,
  connections: number,
): Dispatcher {
  const options = {
    connections,
    pipelining: 1,
    keepAliveTimeout: keepAliveTimeoutMs,
    /* Deadlines are the callers': a call's covers all of it, and a watch may be silent for minutes. */
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxyUrl === undefined) {
    return new Pool(origin, { ...options, connect: { ...tls, timeout: connectTimeoutMs } });
  }
  if (!/^https?:/.test(proxyUrl)) {
    throw new TypedError('Invalid', `proxy-url of the kubeconfig: only http and https proxies are supported`);
  }
  return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: { ...tls, timeout: connectTimeoutMs } });
}

function keyOfTls(tls: TlsMaterial): string {
  return JSON.stringify(Object.entries(tls).map(([name, value]) => [name, String(value)]));
}
