import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { forbiddenRequest, type Attributes, type User } from '../auth/index.js';
import { ApiError, fromStatus, internal, noSuchResource, tooLarge, unauthorized } from '../api/api-error.js';
import type { Cluster } from '../api/cluster.js';
import { decodeProtobuf } from '../protobuf/decode.js';
import { ProtobufError } from '../protobuf/wire.js';
import { errorAnswer, send, type Answer, type Streamed } from './answer.js';
import type { Faults } from './faults.js';
import { impersonated } from './impersonation.js';
import { selectedName } from '../selectors/fields.js';
import { handlePath } from './paths.js';
import { handleResource } from './resource-handler.js';
import { requestInfo, type RequestInfo } from './request-info.js';
import { Warnings } from './warnings.js';

const maxBodyBytes = 3 * 1024 * 1024;
const keepAliveMs = 120_000;
const protobuf = 'application/vnd.kubernetes.protobuf';
const jsonType = 'application/json';

interface ServerOptions {
  cert: string;
  key: string;
  host: string;
  faults: Faults;
}

/** The HTTPS front of a cluster: authenticates, authorizes and answers each request. */
export class ApiServer {
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  readonly #cluster: Cluster;
  readonly #options: ServerOptions;

  constructor(cluster: Cluster, options: ServerOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /** Listens on the port (0: any free port) and returns the port. Throws when it cannot listen. */
  async listen(port: number): Promise<number> {
    const { cert, key, host } = this.#options;
    const server = createServer({ cert, key, keepAliveTimeout: keepAliveMs }, (request, response) => {
      void this.#answer(request, response);
    });
    server.requestTimeout = 0;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    return address.port;
  }

  /** Stops listening and drops every connection, including streams. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      /* closeAllConnections does not close connections in their TLS handshake. */
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => {
      /* After the response the signal is not needed, and creating its error costs more than most reads. */
      if (!response.writableFinished) gone.abort();
    });
    const warnings = new Warnings();
    try {
      const result = await this.#handle(request, response, warnings, gone.signal);
      await this.#options.faults.afterHandling(response);
      if (typeof result === 'function') await result(request, response);
      else if (result !== undefined) send(response, result, warnings.texts());
    } catch (error) {
      await this.#options.faults.afterHandling(response);
      send(response, errorAnswer(toApiError(error)), warnings.texts());
    }
  }

  async #handle(
    request: IncomingMessage,
    response: ServerResponse,
    warnings: Warnings,
    signal: AbortSignal,
  ): Promise<Answer | Streamed | undefined> {
    const cluster = this.#cluster;
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', 'https://devcluster');
    const info = requestInfo(method, url);
    const caller = cluster.authenticator.authenticate(request.headers.authorization);
    const fault = await this.#options.faults.meet(
      { method, path: url.pathname, info, user: caller },
      response,
      signal,
    );
    if (fault === 'cut') return undefined;
    if (fault !== undefined) throw fault;
    if (caller === undefined) throw unauthorized();
    const user = impersonated(cluster.rbac, caller, request.headersDistinct);
    const bytes = await readBody(request);
    authorize(cluster, user, info, url.searchParams);
    const { headers } = request;
    const { resource: target } = info;
    if (target === undefined) return handlePath(cluster, url, headers);
    const resource = cluster.registry.get(target.group, target.version, target.plural);
    if (resource === undefined) {
      if (!cluster.registry.hasGroupVersion(target.group, target.version)) return pageNotFound();
      throw noSuchResource();
    }
    const common = {
      cluster,
      user,
      signal,
      ...textBody(bytes, mediaTypeOf(headers['content-type'])),
      query: url.searchParams,
      accept: headers.accept,
      userAgent: headers['user-agent'] ?? '',
      warn: (text: string) => {
        warnings.add(text);
      },
    };
    if (resource.deprecationWarning !== undefined) common.warn(resource.deprecationWarning);
    return handleResource({ ...common, target, resource });
  }
}

function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function pageNotFound(): Answer {
  return { code: 404, body: '404 page not found\n', contentType: 'text/plain; charset=utf-8' };
}

function authorize(cluster: Cluster, user: User, info: RequestInfo, query: URLSearchParams): void {
  const attributes = attributesOf(info, query);
  const { allowed, reason } = cluster.rbac.authorize(user, attributes);
  if (!allowed) throw fromStatus(forbiddenRequest(user, attributes, reason));
}

/**
 * Returns the attributes of a request for authorization. A list or a watch of one object by a field selector is
 * authorized for the name of the object (apiserver requestinfo.go).
 */
function attributesOf({ resource: target, path, verb }: RequestInfo, query: URLSearchParams): Attributes {
  if (target === undefined) return { verb, path };
  const { group, plural, subresource, namespace } = target;
  const selects = target.name === '' && ['list', 'watch'].includes(verb);
  const name = selects ? selectedName(query.get('fieldSelector') ?? '') : target.name;
  return { verb, group, resource: plural, subresource, name, namespace };
}

/** Returns the body as text; protobuf becomes JSON. Throws a 415 for protobuf that is not understood. */
function textBody(bytes: Buffer, mediaType: string): { body: string; mediaType: string } {
  if (mediaType !== protobuf || bytes.length === 0) return { body: bytes.toString('utf8'), mediaType };
  try {
    return { body: JSON.stringify(decodeProtobuf(bytes)), mediaType: jsonType };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new ApiError(415, 'UnsupportedMediaType', error.message);
  }
}

/** Returns the whole body, at most 3 MiB, the limit of the API server. Throws a 413. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxBodyBytes) throw tooLarge(maxBodyBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message =
    typeof error === 'object' && error !== null && 'message' in error
      ? String(error.message)
      : 'unknown error';
  return internal(message);
}
