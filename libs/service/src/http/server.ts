import { createServer, type Server } from 'node:https';
import type { RequestListener } from 'node:http';
import type { Logger } from '@interlock/base';
import { fastify, type FastifyInstance } from 'fastify';
import type { CertificateSource } from '../certificates/types.js';
import { admitRequests } from './admission.js';
import type { BodyLimits } from './body-budget.js';
import { trackConnections } from './connections.js';
import { formatAddress, type BindAddress } from './address.js';
import { BodyRefused } from './read-body.js';

export interface ServerOptions {
  /** Name of the listener in the log. */
  name: string;
  address: BindAddress;
  /** Larger bodies are answered with 413 without being read. Default: 64 KiB. */
  maxBodyBytes?: number;
  /**
   * Memory limits of all request bodies together; a request beyond them is answered with 503. Default: 128 requests and
   * 32 MiB.
   */
  bodyLimits?: BodyLimits;
  /** Beyond it, the connection that has been idle for the longest time is closed. Default: 2,048. */
  maxConnections?: number;
  /** Serves HTTPS, each connection with the current certificate. There must be a certificate at the start. */
  tls?: Pick<CertificateSource, 'current' | 'onChange'> | undefined;
  /**
   * Adds the routes. Every body arrives as it was sent: `request.body` is a Buffer whatever the content type, because
   * signatures are verified over the bytes. A route can refuse requests before their body is read, by `config.admit`.
   */
  routes: (server: FastifyInstance) => void | Promise<void>;
}

export interface RunningServer {
  /** The address in use; for port 0, with the assigned port. */
  readonly address: string;
  readonly port: number;
  /** Accepts no new requests, and lets requests in progress finish. */
  close(): Promise<void>;
}

const defaultMaxBodyBytes = 64 * 1024;
const defaultBodyLimits: BodyLimits = { requests: 128, bytes: 32 * 1024 * 1024 };
const defaultMaxConnections = 2048;
const requestTimeoutMs = 30_000;
/**
 * Longer than the minute after which load balancers close idle connections, and than the 90 s after which the API server
 * does: a client would otherwise send a request on a connection that is just being closed, and could not repeat a POST.
 */
const keepAliveTimeoutMs = 95_000;
/* Path parameters contain names of Kubernetes objects, which may be this long; the default limit is 100. */
const maxParameterLength = 253;

/**
 * Starts an HTTP server and logs where it listens.
 *
 * @throws when the address is in use or does not belong to the machine
 */
export async function startServer(options: ServerOptions, log: Logger): Promise<RunningServer> {
  const { name, address, maxBodyBytes = defaultMaxBodyBytes, tls, routes } = options;
  const server = fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    routerOptions: { maxParamLength: maxParameterLength },
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    ...(tls && { serverFactory: (handler: RequestListener) => createTlsServer(tls, handler) }),
  });
  const endConnections = trackConnections(server.server, options.maxConnections ?? defaultMaxConnections);
  admitRequests(server, options.bodyLimits ?? defaultBodyLimits, maxBodyBytes);
  answerErrors(server, name, log);
  await routes(server);
  await listen(server, address);
  const bound = server.server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  const shown = formatAddress(address.host ?? '', port);
  log.info({ listener: name, address: shown, port }, 'listening');
  return {
    address: shown,
    port,
    async close() {
      const closed = server.close();
      endConnections();
      await closed;
    },
  };
}

/** Refuses the schema of a route. zod checks the bodies, so fastify does not have to load its schema compilers. */
function refuseSchema(): never {
  throw new Error('routes cannot have schemas');
}

/** Answers failed requests. An error that the client did not cause is logged and not revealed. */
function answerErrors(server: FastifyInstance, listener: string, log: Logger): void {
  server.setErrorHandler((error: { statusCode?: number; message: string }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (error instanceof BodyRefused) {
      if (status === 503) reply.header('retry-after', '1');
      return reply.code(status).send({ error: error.message });
    }
    if (status >= 500) log.error({ listener, route: request.routeOptions.url, error }, 'request failed');
    return reply.code(status).send({ error: status >= 500 ? 'internal error' : error.message });
  });
}

function createTlsServer(tls: NonNullable<ServerOptions['tls']>, handler: RequestListener): Server {
  const server = createServer({ ...tls.current() }, handler);
  server.requestTimeout = requestTimeoutMs;
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.setTimeout(requestTimeoutMs);
  server.once(
    'close',
    tls.onChange((certificate) => server.setSecureContext(certificate)),
  );
  return server;
}

async function listen(server: FastifyInstance, { host, port }: BindAddress): Promise<void> {
  if (host !== undefined) {
    await server.listen({ host, port });
    return;
  }
  try {
    await server.listen({ host: '::', port });
  } catch (error) {
    if (!hasCode(error, 'EAFNOSUPPORT')) throw error;
    await server.listen({ host: '0.0.0.0', port }); // For a machine without IPv6.
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
