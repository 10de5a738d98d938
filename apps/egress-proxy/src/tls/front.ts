import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Clock, Logger } from '@interlock/base';
import { isSameMaterial, readTlsFiles, type TlsFiles, type TlsMaterial } from './files.js';

const checkMs = 10_000;

export interface TlsFrontOptions {
  clock: Clock;
  log: Logger;
  /** Milliseconds for a handshake. */
  handshakeMs: number;
  /**
   * Called with each connection after its handshake, and after its client certificate was verified if one is required.
   *
   * @param raw the connection below it
   */
  onConnection: (socket: TLSSocket, raw: Socket) => void;
}

/** Serves TLS to clients. New connections use the current certificate of the files; open connections keep the earlier one. */
export class TlsFront {
  readonly #files: TlsFiles;
  readonly #options: TlsFrontOptions;
  readonly #server: Server;
  /** The connections with TLS, by the address and the port of their client. */
  readonly #raw = new Map<string, Socket>();
  #material: TlsMaterial;
  #timer: { cancel(): void } | undefined;

  private constructor(files: TlsFiles, material: TlsMaterial, options: TlsFrontOptions) {
    this.#files = files;
    this.#options = options;
    this.#material = material;
    const needsClient = files.clientCaFile !== undefined;
    this.#server = createServer(
      {
        ...material,
        ...{ requestCert: needsClient, rejectUnauthorized: needsClient },
        handshakeTimeout: options.handshakeMs,
      },
      (socket) => this.#begin(socket),
    );
    this.#server.on('tlsClientError', (error, socket) => {
      options.log.debug({ error, client: socket.remoteAddress }, 'a TLS handshake failed');
      socket.destroy();
    });
    this.#watch();
  }

  /** Reads the files and starts polling them. @throws an Error when they cannot be used */
  static async start(files: TlsFiles, options: TlsFrontOptions): Promise<TlsFront> {
    return new TlsFront(files, await readTlsFiles(files), options);
  }

  /** Starts the handshake on a connection. An error destroys the connection. */
  accept(raw: Socket): void {
    const client = clientOf(raw);
    this.#raw.set(client, raw);
    raw.once('close', () => {
      if (this.#raw.get(client) === raw) this.#raw.delete(client);
    });
    this.#server.emit('connection', raw);
  }

  #begin(socket: TLSSocket): void {
    const raw = this.#raw.get(clientOf(socket));
    if (raw === undefined || raw.destroyed) return void socket.destroy();
    this.#options.onConnection(socket, raw);
  }

  /** Stops polling the files. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Reads the files again. If they cannot be used, the current certificate is kept. */
  async refresh(): Promise<void> {
    const { log } = this.#options;
    const file = this.#files.certFile;
    try {
      const material = await readTlsFiles(this.#files);
      if (isSameMaterial(material, this.#material)) return;
      this.#server.setSecureContext(material);
      this.#material = material;
      log.info({ file }, 'the certificate was replaced');
    } catch (error) {
      log.error({ error, file }, 'the certificate cannot be read; the previous certificate stays in use');
    }
  }

  #watch(): void {
    const timer = this.#options.clock.setTimeout(() => {
      void this.refresh().then(() => {
        if (this.#timer === timer) this.#watch();
      });
    }, checkMs);
    this.#timer = timer;
  }
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
