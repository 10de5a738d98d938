import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { BindAddress } from '@interlock/service/flags';
import type { Admission, Kind, Verdict } from './admission.js';
import { ClientRequest } from './connection.js';
import type { ProxyContext } from './context.js';
import { LinkedList, ListElement } from '@interlock/base';
import { refuse, type Refusal } from './refusal.js';
import type { Connection, ConnectionHolder } from './relay/connection.js';
import type { Listening, RelayEngine } from './relay/engine.js';
import { TlsConnection } from './relay/sockets/tls-connection.js';
import { startOf } from './start.js';
import { detectTls } from './tls/first-byte.js';
import type { TlsFront, TlsFrontOptions } from './tls/front.js';
import type { TlsFiles } from './tls/files.js';

interface ListenerOptions {
  readonly context: ProxyContext;
  readonly address: BindAddress;
  readonly engine: RelayEngine;
  /** The certificate files; undefined if the proxy serves only clients without TLS. */
  readonly files: TlsFiles | undefined;
}

const fullMessage = 'the limit of open tunnels is reached; try again, or raise the limits of the proxy';
const tlsRequired = refuse(
  400,
  'TlsRequired',
  'this proxy requires a client certificate; connect to it with TLS (an https:// URL), and present one',
);
const tlsFlags = '--tls-cert-file, --tls-key-file or --tls-client-ca-file';

/** Accepts the connections of clients. */
export class ProxyListener {
  readonly #context: ProxyContext;
  readonly #engine: RelayEngine;
  readonly #tls: TlsFront | undefined;
  /** Why clients without TLS are refused; undefined if they are served. Many programs of jobs cannot connect to a proxy by TLS. */
  readonly #refusalOfPlain: Refusal | undefined;
  readonly #connections = new LinkedList<OpenConnection>();
  #listening: Listening | undefined;
  #lastAccepted: number;
  #whenEmpty: (() => void)[] = [];

  private constructor({ context, engine, files }: ListenerOptions, tls: TlsFront | undefined) {
    this.#context = context;
    this.#engine = engine;
    this.#tls = tls;
    this.#refusalOfPlain = files?.clientCaFile === undefined ? undefined : tlsRequired;
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
    const onConnection = (socket: TLSSocket, raw: Socket): void =>
      serve(context, new TlsConnection(socket, raw));
    const tls =
      files &&
      (await startOf(
        tlsFlags,
        startTls(files, { clock, log, handshakeMs: limits.handshakeMs, onConnection }),
      ));
    const listener = new ProxyListener(options, tls);
    return { listener, port: await startOf('--bind-address', listener.#listen(options.address)) };
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

  async #listen(address: BindAddress): Promise<number> {
    const tls = this.#tls;
    const { log, limits } = this.#context;
    const begin =
      tls === undefined
        ? (open: OpenConnection) => this.#servePlain(open)
        : (open: OpenConnection) =>
            detectTls(open.connection, limits.head, (isTls, first) =>
              isTls ? this.#serveTls(open, tls, first) : this.#servePlain(open, first),
            );
    this.#listening = await this.#engine.listen({
      address,
      onConnection: (connection) => this.#accept(connection, begin),
      onError: (error) => log.error({ error }, 'a connection could not be accepted'),
    });
    return this.#listening.port;
  }

  #accept(connection: Connection, begin: (open: OpenConnection) => void): void {
    const { admission, clock } = this.#context;
    this.#lastAccepted = clock.monotonic();
    const client = addressOf(connection);
    if (client === undefined) return connection.close();
    const verdict = admission.enter(client);
    const open = new OpenConnection(connection, { client, verdict, listener: this });
    this.#connections.add(open);
    connection.holder = open;
    if (verdict === 'drop') this.#drop(open);
    else begin(open);
  }

  /** @param first bytes that were already read; undefined if the connection is not being read yet */
  #servePlain({ connection, client, verdict }: OpenConnection, first?: Buffer): void {
    const refusal =
      verdict === 'admitted' ? this.#refusalOfPlain : refuse(503, reasonOf(verdict), fullMessage);
    if (refusal === undefined) serve(this.#context, connection, first);
    else new ClientRequest(connection, client, this.#context).refuse(refusal);
  }

  #serveTls(open: OpenConnection, tls: TlsFront, first: Buffer): void {
    if (open.verdict === 'admitted') open.enterTls(this.#context.admission);
    /* Even a response would cost a handshake. */
    if (open.verdict !== 'admitted') return this.#drop(open);
    const connection = this.#engine.handOver(open.connection, first);
    open.connection = connection;
    connection.holder = open;
    tls.accept(connection.socket);
  }

  #drop({ connection, verdict }: OpenConnection): void {
    this.#context.metrics.countRefusal(reasonOf(verdict));
    connection.reset();
  }

  /** Forgets a connection. Called by the connection itself. */
  release(open: OpenConnection): void {
    if (!this.#connections.remove(open)) return;
    this.#context.admission.leave(open.client, open.kind);
    if (this.#connections.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }
}

/** An open connection of a client. */
class OpenConnection extends ListElement<OpenConnection> implements ConnectionHolder {
  connection: Connection;
  /** The address of the client. */
  readonly client: string;
  verdict: Verdict;
  #isTls = false;
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

  /** What the connection counts as. */
  get kind(): Kind {
    if (this.verdict !== 'admitted') return 'refused';
    return this.#isTls ? 'tls' : 'plain';
  }

  /** Counts the connection, which is admitted, as one that uses TLS, if there is room for it. */
  enterTls(admission: Admission): void {
    this.verdict = admission.enterTls(this.client);
    this.#isTls = true;
  }

  release(): void {
    this.#listener.release(this);
  }
}

function reasonOf(verdict: Verdict): string {
  return verdict === 'clientFull' ? 'TooManyTunnelsOfClient' : 'TooManyTunnels';
}

/** Starts the TLS server. Its module is loaded on demand, because it adds a tenth to the memory of the proxy at the start. */
async function startTls(files: TlsFiles, options: TlsFrontOptions): Promise<TlsFront> {
  const front = await import('./tls/front.js');
  return front.TlsFront.start(files, options);
}

/** Serves a connection. An unexpected error ends only this connection. */
function serve(context: ProxyContext, connection: Connection, first?: Buffer): void {
  const client = addressOf(connection);
  if (client === undefined) return connection.close();
  const request = new ClientRequest(connection, client, context);
  request.serve(first).catch((error: unknown) => {
    context.log.error({ error, client }, 'a connection failed');
    connection.close();
  });
}

/** Returns the address of a client; undefined if it has already disconnected. */
function addressOf({ remoteAddress }: Connection): string | undefined {
  return remoteAddress?.startsWith('::ffff:') === true ? remoteAddress.slice(7) : remoteAddress;
}
