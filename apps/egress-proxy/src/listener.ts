import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { stopwatch } from '@interlock/base';
import type { BindAddress } from '@interlock/service/flags';
import { refuseRequest, serveConnection } from './connection.js';
import type { ProxyContext } from './context.js';
import { refuse } from './refusal.js';
import { resetSocket } from './relay/relay.js';
import { TlsFront } from './tls/front.js';
import type { TlsFiles } from './tls/files.js';

/** Accepts the connections of clients. */
export class ProxyListener {
  readonly #context: ProxyContext;
  readonly #tls: TlsFront | undefined;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  #lastAccepted: number;

  private constructor(context: ProxyContext, tls: TlsFront | undefined) {
    this.#context = context;
    this.#tls = tls;
    this.#lastAccepted = context.clock.monotonic();
    const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: tls === undefined };
    this.#server = createServer(options, (socket) => this.#accept(socket));
  }

  /**
   * Listens on an address.
   *
   * @param files of the certificate; undefined: connections are plain
   * @throws an Error when the address cannot be had, or the files cannot be used
   */
  static async start(
    context: ProxyContext,
    address: BindAddress,
    files: TlsFiles | undefined,
  ): Promise<{ listener: ProxyListener; port: number }> {
    const { clock, log, limits } = context;
    const onConnection = (socket: Socket): void => serve(context, socket, nothing);
    const tls =
      files && (await TlsFront.start(files, { clock, log, handshakeMs: limits.headMs, onConnection }));
    const listener = new ProxyListener(context, tls);
    return { listener, port: await listener.#listen(address) };
  }

  /** Milliseconds of the monotonic clock at which the last connection came. */
  get lastAccepted(): number {
    return this.#lastAccepted;
  }

  /** Reads the certificate again; without TLS, does nothing. */
  async refreshCertificate(): Promise<void> {
    await this.#tls?.refresh();
  }

  /** Stops to accept connections. Those that are open stay. */
  stop(): void {
    this.#server.close();
    this.#tls?.stop();
  }

  /** Closes the connections that have no tunnel yet. */
  cutUnfinished(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  #listen({ host, port }: BindAddress): Promise<number> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog: 1024 }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#context.log.error({ error }, 'a connection cannot be accepted'));
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  #accept(raw: Socket): void {
    const { admission, clock } = this.#context;
    this.#lastAccepted = clock.monotonic();
    /* An error that nothing listens for ends the process; the close that follows is what the proxy acts on. */
    raw.on('error', nothing);
    const client = addressOf(raw);
    if (client === undefined) return void raw.destroy();
    const verdict = admission.enter(client);
    this.#connections.add(raw);
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#connections.delete(raw);
      admission.leave(client);
    };
    raw.once('close', release);
    if (verdict !== 'admitted') this.#turnAway(raw, client, verdict);
    else if (this.#tls === undefined) serve(this.#context, raw, release);
    else this.#tls.accept(raw);
  }

  #turnAway(raw: Socket, client: string, verdict: 'full' | 'clientFull' | 'drop'): void {
    const { metrics, clock } = this.#context;
    const reason = verdict === 'clientFull' ? 'TooManyTunnelsOfClient' : 'TooManyTunnels';
    /* With TLS even the word would cost a handshake. */
    if (verdict === 'drop' || this.#tls !== undefined) {
      metrics.countRefusal(reason);
      resetSocket(raw);
      return;
    }
    const message = 'there are as many tunnels as the proxy permits; try again, or raise its limits';
    refuseRequest(raw, this.#context, { client, elapsed: stopwatch(clock) }, refuse(503, reason, message));
  }
}

/** Serves a connection. What nobody expected ends that connection alone. */
function serve(context: ProxyContext, socket: Socket, release: () => void): void {
  const client = addressOf(socket);
  if (client === undefined) return void socket.destroy();
  socket.on('error', nothing);
  serveConnection(socket, client, context, release).catch((error: unknown) => {
    context.log.error({ error, client }, 'a connection has failed');
    socket.destroy();
  });
}

/** Returns the address of a client; undefined when it is gone already. */
function addressOf({ remoteAddress }: Socket): string | undefined {
  return remoteAddress?.startsWith('::ffff:') === true ? remoteAddress.slice(7) : remoteAddress;
}

function nothing(): void {
  /* Something else acts on it. */
}
