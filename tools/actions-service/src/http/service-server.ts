import { createServer as createHttpServer, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Base } from '../options.js';
import type { AnyRequest, AnyResponse } from './connections.js';
import type { LoopbackCertificate } from './loopback-certificate.js';

type Handler = (request: AnyRequest, response: AnyResponse, port: Base | undefined) => void;

/** The ports of the service, on a loopback address: HTTP/1.1, or TLS with HTTP/2 and HTTP/1.1 as the client chooses. */
export class ServiceServer {
  readonly #servers: (Server | Http2SecureServer)[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #certificate: LoopbackCertificate | undefined;
  readonly #handler: Handler;
  readonly #address: string;

  constructor(address: string, certificate: LoopbackCertificate | undefined, handler: Handler) {
    this.#address = address;
    this.#certificate = certificate;
    this.#handler = handler;
  }

  /** Opens a port for one base, or for all; 0 for any free port. Returns its origin. */
  async listen(port: number, base?: Base): Promise<string> {
    const server = this.#create(base);
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, this.#address, resolve);
    });
    const scheme = this.#certificate === undefined ? 'http' : 'https';
    return `${scheme}://${this.#address}:${String((server.address() as AddressInfo).port)}`;
  }

  /** Ends every connection; new ones are accepted. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends everything. */
  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    this.disconnect();
    await Promise.all(closed);
  }

  #create(base: Base | undefined): Server | Http2SecureServer {
    const handle = (request: AnyRequest, response: AnyResponse): void =>
      this.#handler(request, response, base);
    if (this.#certificate === undefined) {
      /* Polls are held longer than these limits of Node. */
      return createHttpServer({ requestTimeout: 0, keepAliveTimeout: 120_000 }, handle);
    }
    const { cert, key } = this.#certificate;
    const server = createSecureServer(
      { cert, key, allowHTTP1: true, settings: { maxConcurrentStreams: 1_000 } },
      handle,
    );
    /* A client that aborts its handshake is not an error of the service. */
    server.on('sessionError', () => undefined);
    return server;
  }
}
