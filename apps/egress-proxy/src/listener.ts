import type { Socket } from 'node:net';
import type { BindAddress } from '@interlock/service/flags';
import type { Verdict } from './admission.js';
import { ClientRequest } from './connection.js';
import type { ProxyContext } from './context.js';
import { LinkedList, ListElement } from '@interlock/base';
import { refuse } from './refusal.js';
import type { Connection, ConnectionHolder } from './relay/connection.js';
import type { Listening, RelayEngine } from './relay/engine.js';
import type { SocketConnection } from './relay/sockets/socket-connection.js';
import { socketsEngine } from './relay/sockets/sockets-engine.js';
import { TlsConnection } from './relay/sockets/tls-connection.js';
import { startOf } from './start.js';
import { detectTls } from './tls/first-byte.js';
import type { TlsFront, TlsFrontOptions } from './tls/front.js';
import type { TlsFiles } from './tls/files.js';

interface ListenerOptions {
  readonly context: ProxyContext;
  readonly address: BindAddress;
  /** Accepts plain connections. */
  readonly engine: RelayEngine;
  /** The certificate files; undefined if only plain connections are accepted. */
  readonly files: TlsFiles | undefined;
}

const tlsFlags = '--tls-cert-file, --tls-key-file or --tls-client-ca-file';

/** Accepts the connections of clients. */
export class ProxyListener {
  readonly #context: ProxyContext;
  readonly #tls: TlsFront | undefined;
  readonly #connections = new LinkedList<OpenConnection>();
  #listening: Listening | undefined;
  #lastAccepted: number;
  #whenEmpty: (() => void)[] = [];

  private constructor(context: ProxyContext, tls: TlsFront | undefined) {
    this.#context = context;
    this.#tls = tls;
    this.#lastAccepted = context.clock.monotonic();
  }

  /**
   * Listens on an address.
   *
   * @throws UsageError when the address cannot be bound, or the files cannot be used
   */
  static async start(options: ListenerOptions): Promise<{ listener: ProxyListener; port: number }> {
    const { context, files } = options;
    const { clock, log, limits } = context;
    const onConnection = (socket: Socket): void => serve(context, new TlsConnection(socket));
    const tls =
      files &&
      (await startOf(
        tlsFlags,
        startTls(files, { clock, log, handshakeMs: limits.handshakeMs, onConnection }),
      ));
    const listener = new ProxyListener(context, tls);
    return { listener, port: await startOf('--bind-address', listener.#listen(options)) };
  }

  /** Time of the last connection, in milliseconds of the monotonic clock. */
  get lastAccepted(): number {
    return this.#lastAccepted;
  }

  /** Reads the certificate again. Without TLS, it does nothing. */
  async refreshCertificate(): Promise<void> {
    await this.#tls?.refresh();
  }

  /** Stops accepting connections. Open connections are kept. */
  stop(): void {
    this.#listening?.stop();
    this.#tls?.stop();
  }

  /** Resolves when no connection is open. */
  empty(): Promise<void> {
    return this.#connections.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => void this.#whenEmpty.push(resolve));
  }

  /** Closes the connections without a tunnel. */
  cutUnfinished(): void {
    for (const { connection } of this.#connections.all()) connection.close();
  }

  async #listen({ address, engine, files }: ListenerOptions): Promise<number> {
    const tls = this.#tls;
    /* Many programs of jobs cannot connect to a proxy by TLS. Client certificates, if required, are required of every client. */
    const acceptsPlain = files?.clientCaFile === undefined;
    const onError = (error: Error): void =>
      this.#context.log.error({ error }, 'a connection could not be accepted');
    this.#listening =
      tls === undefined
        ? await engine.listen({
            ...{ address, onError },
            onConnection: (connection) => this.#accept(connection, () => serve(this.#context, connection)),
          })
        : await socketsEngine.listen({
            ...{ address, onError },
            onConnection: (connection) =>
              this.#accept(connection, () =>
                acceptsPlain ? this.#serveEither(connection, tls) : tls.accept(connection.socket),
              ),
          });
    return this.#listening.port;
  }

  #serveEither(connection: SocketConnection, tls: TlsFront): void {
    const { socket } = connection;
    detectTls(socket, this.#context.limits.head, (isTls) =>
      isTls ? tls.accept(socket) : serve(this.#context, connection),
    );
  }

  #accept(connection: Connection, admit: () => void): void {
    const { admission, clock } = this.#context;
    this.#lastAccepted = clock.monotonic();
    const client = addressOf(connection);
    if (client === undefined) return connection.close();
    const verdict = admission.enter(client);
    const open = new OpenConnection(connection, { client, verdict, listener: this });
    this.#connections.add(open);
    connection.holder = open;
    if (verdict === 'admitted') admit();
    else this.#turnAway(connection, client, verdict);
  }

  /** Forgets a connection. Called by the connection itself. */
  release(open: OpenConnection): void {
    if (!this.#connections.remove(open)) return;
    this.#context.admission.leave(open.client, open.verdict);
    if (this.#connections.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  #turnAway(connection: Connection, client: string, verdict: Verdict): void {
    const { metrics } = this.#context;
    const reason = verdict === 'clientFull' ? 'TooManyTunnelsOfClient' : 'TooManyTunnels';
    /* With TLS, even a response would cost a handshake. */
    if (verdict === 'drop' || this.#tls !== undefined) {
      metrics.countRefusal(reason);
      connection.reset();
      return;
    }
    const message = 'the limit of open tunnels is reached; try again, or raise the limits of the proxy';
    new ClientRequest(connection, client, this.#context).refuse(refuse(503, reason, message));
  }
}

/** An open connection of a client. */
class OpenConnection extends ListElement<OpenConnection> implements ConnectionHolder {
  readonly connection: Connection;
  /** The address of the client. */
  readonly client: string;
  readonly verdict: Verdict;
  readonly #listener: ProxyListener;

  constructor(
    connection: Connection,
    { client, verdict, listener }: { client: string; verdict: Verdict; listener: ProxyListener },
  ) {
    super();
    this.connection = connection;
    this.client = client;
    this.verdict = verdict;
    this.#listener = listener;
  }

  release(): void {
    this.#listener.release(this);
  }
}

/** Starts the TLS server. Its module is loaded on demand, because it adds a tenth to the memory of the proxy at the start. */
async function startTls(files: TlsFiles, options: TlsFrontOptions): Promise<TlsFront> {
  const front = await import('./tls/front.js');
  return front.TlsFront.start(files, options);
}

/** Serves a connection. An unexpected error ends only this connection. */
function serve(context: ProxyContext, connection: Connection): void {
  const client = addressOf(connection);
  if (client === undefined) return connection.close();
  const request = new ClientRequest(connection, client, context);
  request.serve().catch((error: unknown) => {
    context.log.error({ error, client }, 'a connection failed');
    connection.close();
  });
}

/** Returns the address of a client; undefined if it has already disconnected. */
function addressOf({ remoteAddress }: Connection): string | undefined {
  return remoteAddress?.startsWith('::ffff:') === true ? remoteAddress.slice(7) : remoteAddress;
}
