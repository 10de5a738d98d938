import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  method: string;
  /** Path and query. */
  url: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** Decoded JSON, `undefined` without a body. */
  body: unknown;
}

export type StubHandler = (request: StubRequest, response: ServerResponse) => void | Promise<void>;

/** A real HTTP server whose answers a test defines, for failures that an API server does not produce on demand. */
export class StubApi {
  readonly requests: StubRequest[] = [];
  /** Number of connections so far. */
  connections = 0;
  readonly #server;
  #handler: StubHandler;

  private constructor(handler: StubHandler) {
    this.#handler = handler;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('connection', () => this.connections++);
  }

  static async start(handler: StubHandler): Promise<StubApi> {
    const api = new StubApi(handler);
    await new Promise<void>((resolve) => void api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  /** Replaces the handler of requests. */
  answer(handler: StubHandler): void {
    this.#handler = handler;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns a kubeconfig for this server; `user` contains the fields of its user. */
  kubeConfig(user: object = {}, path = ''): object {
    return {
      clusters: [{ name: 'stub', cluster: { server: this.url + path } }],
      users: [{ name: 'stub', user }],
      contexts: [{ name: 'stub', context: { cluster: 'stub', user: 'stub' } }],
      'current-context': 'stub',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { pathname, searchParams } = new URL(incoming.url ?? '/', this.url);
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      path: pathname,
      query: searchParams,
      headers: incoming.headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
    this.requests.push(request);
    await this.#handler(request, response);
  }
}

export function sendJson(response: ServerResponse, code: number, body: unknown, headers: object = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function sendStatus(response: ServerResponse, code: number, reason: string, extra: object = {}): void {
  const status = {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code,
    reason,
    message: `${reason}!`,
    ...extra,
  };
  sendJson(response, code, status);
}
