import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BindAddress } from '@interlock/service/flags';
import { ignore } from '../relay/connection.js';
import { listenOn } from '../relay/listen.js';

const maxConnections = 32;

interface OperationsOptions {
  address: BindAddress;
  /** Whether the proxy is ready for new connections. */
  isReady: () => boolean;
  /** Returns the metrics in the text format of Prometheus. */
  metrics: () => string;
}

interface OperationsServer {
  readonly port: number;
  stop(): void;
}

/** Serves /healthz, /readyz and /metrics on a separate port. @throws an Error when the address cannot be bound */
export async function serveProbes({
  address,
  isReady,
  metrics,
}: OperationsOptions): Promise<OperationsServer> {
  const server = createServer({
    requestTimeout: 5_000,
    headersTimeout: 5_000,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 8192,
  });
  limitConnections(server);
  server.on('request', ({ method, url = '' }, response) => {
    const path = url.split('?', 1)[0];
    if (method !== 'GET' && method !== 'HEAD') answer(response, 405, 'use GET\n');
    else if (path === '/healthz') answer(response, 200, 'ok\n');
    else if (path === '/readyz') answer(response, isReady() ? 200 : 503, isReady() ? 'ok\n' : 'draining\n');
    else if (path === '/metrics')
      answer(response, 200, metrics(), 'text/plain; version=0.0.4; charset=utf-8');
    else answer(response, 404, 'not found; use /healthz, /readyz or /metrics\n');
  });
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port: await listenOn(server, address, ignore), stop };
}

/** Closes the oldest connection when there are too many: a probe is answered even if other clients keep theirs open. */
function limitConnections(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size <= maxConnections || oldest === undefined) return;
    open.delete(oldest);
    oldest.destroy();
  });
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
