import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { startProgram } from '@interlock/process';

/** Stalls responses for a path after a number of bytes of their body. */
export interface Stall {
  path: string;
  afterBytes: number;
  onStall: () => void;
}

export interface HttpRemoteOptions {
  /** The folder of the bare repositories. */
  root: string;
  /** The required password of `Authorization: Basic`; if absent, no password is required. */
  password?: string;
  stall?: Stall;
  /** Serves https with this certificate. */
  tls?: { key: string; cert: string };
  /** Returns whether it responds to the request instead of git. */
  intercept?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/** Git's own smart HTTP server behind a port of this machine. */
export class HttpRemote {
  readonly requests: string[] = [];
  connections = 0;
  readonly #server: Server;

  readonly #options: HttpRemoteOptions;

  private constructor(options: HttpRemoteOptions) {
    this.#options = options;

    const handle = (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response);
    this.#server = options.tls ? createTlsServer(options.tls, handle) : createServer(handle);
    /* On a busy machine, the end of an idle connection would meet the next request, which then fails. */
    this.#server.keepAliveTimeout = 120_000;
    this.#server.on('connection', () => (this.connections += 1));
  }

  static async start(options: HttpRemoteOptions): Promise<HttpRemote> {
    const remote = new HttpRemote(options);
    await new Promise<void>((resolve) => remote.#server.listen(0, '127.0.0.1', resolve));
    return remote;
  }

  url(repository: string): string {
    return `http${this.#options.tls ? 's' : ''}://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${repository}`;
  }

  /** Handles CONNECT, so that the server is a proxy as well. */
  onConnect(handle: (request: IncomingMessage, socket: Duplex) => void): void {
    this.#server.on('connect', handle);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(`${request.method} ${request.url}`);
    if (this.#options.intercept?.(request, response)) return;
    const { password } = this.#options;
    const given = Buffer.from(
      (request.headers.authorization ?? '').replace(/^Basic /, ''),
      'base64',
    ).toString();
    if (password !== undefined && given.split(':')[1] !== password) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    this.#runGit(request, response);
  }

  #runGit(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    const backend = startProgram({
      program: 'git',
      args: ['http-backend'],
      environment: {
        PATH: process.env['PATH'] ?? '',
        GIT_PROJECT_ROOT: this.#options.root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? '',
        REMOTE_USER: 'tester',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      ignore: ['stderr'],
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => undefined);
    const body = this.#writer(pathname, response);
    let head = Buffer.alloc(0);
    backend.stdout.on('data', (chunk: Buffer) => {
      if (response.headersSent) return body.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const lines = head
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]);
      const status = Number.parseInt(lines.find(([name]) => name === 'Status')?.[1] ?? '200', 10);
      response.writeHead(status, Object.fromEntries(lines.filter(([name]) => name !== 'Status')));
      body.write(head.subarray(end + 4));
    });
    backend.once('close', () => body.end());
  }

  #writer(path: string, response: ServerResponse): { write: (chunk: Buffer) => void; end: () => void } {
    const { stall } = this.#options;
    let left = stall && path.endsWith(stall.path) ? stall.afterBytes : Infinity;
    return {
      write(chunk) {
        if (left > 0) response.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) stall?.onStall();
      },
      end: () => void (left > 0 && response.end()),
    };
  }
}
