import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON, or unchanged if it is a string or bytes. */
  body?: unknown;
  /** Ends the connection: before any byte, or in the middle of the body. */
  cut?: 'before' | 'inside';
  /** Never responds. */
  hang?: boolean;
}

/** An HTTP server that sends scripted responses and records its requests. */
export class ScriptedServer {
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;

  private constructor(answer: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>) {
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const url = new URL(incoming.url ?? '/', 'http://localhost');
        const request: SeenRequest = {
          method: incoming.method ?? '',
          path: url.pathname,
          query: url.searchParams,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        };
        this.seen.push(request);
        void Promise.resolve(answer(request)).then(({ status = 200, headers = {}, body, cut, hang }) => {
          if (hang === true) return;
          if (cut === 'before') {
            incoming.socket.destroy();
            return;
          }
          const payload = payloadOf(body);
          const length = Buffer.byteLength(payload) + (cut === 'inside' ? 100 : 0);
          outgoing.writeHead(status, {
            'content-type': 'application/json',
            ...(status === 204 || status === 304 ? {} : { 'content-length': String(length) }),
            ...headers,
          });
          if (cut === 'inside') outgoing.write(payload, () => incoming.socket.destroy());
          else outgoing.end(payload);
        });
      });
    });
  }

  static async start(
    answer: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
  ): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(answer);
    scripted.#server.listen(0, '127.0.0.1');
    await once(scripted.#server, 'listening');
    return scripted;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

function payloadOf(body: unknown): string | Buffer {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return body === undefined ? '' : JSON.stringify(body);
}
