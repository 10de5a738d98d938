import { createSecureContext } from 'node:tls';
import { Pool, ProxyAgent, type buildConnector, type Dispatcher } from 'undici';
import { TypedError } from '@interlock/api';
import { waitFor } from '@interlock/base';
import { tunnelClients } from '@interlock/base/proxy-tunnel';
import type { CredentialsSource, TlsMaterial } from './credentials.js';

export interface HttpRequest {
  method: Dispatcher.HttpMethod;
  /** Path with the query, without the base path of the server. */
  path: string;
  headers: Record<string, string | string[]>;
  body?: string;
}

/**
 * Calls, watches and leases use separate connections: watches cannot delay a call, and calls cannot delay the renewal
 * of a lease.
 */
export type Lane = 'call' | 'watch' | 'lease';

export interface Transport {
  /** The label `host` of metrics. */
  readonly host: string;
  send(lane: Lane, request: HttpRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData>;
  /** Aborts when the transport is closed. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}

const defaultConnectTimeoutMs = 10_000;
const keepAliveTimeoutMs = 30_000;
/**
 * Each watch has its own connection; the limit only guards against a leak. Renewals that hang leave connections for the
 * next ones, and an agc renews a lease for each of its RunnerGroups every second and a half.
 */
const connectionsOf: Record<Lane, number> = { call: 32, watch: 512, lease: 8 };

interface OpenLanes {
  tls: TlsMaterial;
  tlsKey: string;
  dispatchers: Record<Lane, Dispatcher>;
}

/**
 * Returns a transport for one API server: HTTP/1.1 over keep-alive connections that carry one request at a time. A
 * change of the TLS material (rotated certificates) opens new connections; the old ones end with their requests.
 *
 * @param connectTimeoutMs limit for each step of a connection: TCP, the tunnel of a proxy, TLS
 */
export function createTransport(
  source: CredentialsSource,
  connectTimeoutMs = defaultConnectTimeoutMs,
): Transport {
  const { server, proxyUrl } = source;
  const basePath = server.pathname.replace(/\/$/, '');
  const retired = new Set<Dispatcher>();
  const closing = new AbortController();
  let open: OpenLanes | undefined;

  const dispatchersFor = (tls: TlsMaterial): Record<Lane, Dispatcher> => {
    /* The credentials are one object until they are read again, and their text is long. */
    if (open?.tls === tls) return open.dispatchers;
    const tlsKey = keyOfTls(tls);
    if (open?.tlsKey === tlsKey) {
      open.tls = tls;
      return open.dispatchers;
    }
    const connect = { ...tls, secureContext: createSecureContext(tls), timeout: connectTimeoutMs };
    for (const old of Object.values(open?.dispatchers ?? {})) {
      retired.add(old);
      void old.close().finally(() => retired.delete(old));
    }
    const opened = (lane: Lane) => openLane(server.origin, proxyUrl, connect, connectionsOf[lane]);
    const dispatchers = { call: opened('call'), watch: opened('watch'), lease: opened('lease') };
    open = { tls, tlsKey, dispatchers };
    return dispatchers;
  };

  return {
    host: server.host,
    closed: closing.signal,
    async send(lane, request, signal) {
      const credentials = await waitFor(source.current(), signal);
      closing.signal.throwIfAborted();
      const { headers, tls } = credentials;
      const answer = dispatchersFor(tls)[lane].request({
        origin: server.origin,
        method: request.method,
        path: basePath + request.path,
        headers: { ...headers, ...request.headers },
        body: request.body ?? null,
        /* Otherwise, undici closes the connection after a DELETE that has options. */
        reset: false,
        signal,
      });
      /* undici does not end a request that still waits for a connection. */
      const response = await waitFor(answer, signal);
      if (response.statusCode === 401) source.discard(credentials);
      return response;
    },
    async close() {
      closing.abort(new TypedError('Permanent', 'the client is closed', { reason: 'ClientClosed' }));
      const dispatchers = [...retired, ...Object.values(open?.dispatchers ?? {})];
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function openLane(
  origin: string,
  proxyUrl: string | undefined,
  connect: buildConnector.BuildOptions & { timeout: number },
  connections: number,
): Dispatcher {
  const options = {
    connections,
    pipelining: 1,
    keepAliveTimeout: keepAliveTimeoutMs,
    /* Time limits are set by the callers: that of a call covers all of it, and a watch may be silent for minutes. */
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxyUrl === undefined) {
    return new Pool(origin, { ...options, connect });
  }
  if (!/^https?:/.test(proxyUrl)) {
    throw new TypedError('Invalid', 'proxy-url of the kubeconfig: only http and https proxies are supported');
  }
  return new ProxyAgent({
    ...options,
    uri: proxyUrl,
    requestTls: connect,
    clientFactory: tunnelClients(connect.timeout),
  });
}

function keyOfTls(tls: TlsMaterial): string {
  return JSON.stringify(Object.entries(tls).map(([name, value]) => [name, String(value)]));
}
