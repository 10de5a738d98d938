import { isTyped } from '@interlock/api';
import { systemClock, type Clock } from '@interlock/base';
import type { Connect, OpenConnection } from './connector.js';
import type { Exchange } from './exchange.js';
import { Http2Connection, type ConnectionOwner } from './http2/http2-connection.js';
import type { OriginTransport } from './origin-transport.js';

/** The names for ALPN (RFC 7301, 3.1), the preferred one first. */
export const offeredProtocols = ['h2', 'http/1.1'];

/** Returns whether the server of a connection chose HTTP/2. */
export function speaksHttp2({ socket }: OpenConnection): boolean {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

/** HTTP/2 to one origin: calls share connections, each with as many streams as the server permits. */
export class Http2Origin implements OriginTransport, ConnectionOwner {
  readonly #url: URL;
  readonly #connect: Connect;
  readonly #onOtherProtocol: () => void;
  readonly #clock: Clock;
  readonly #connections = new Set<Http2Connection>();
  readonly #waiting: Exchange[] = [];
  #isConnecting = false;
  #isClosed = false;

  /** @param onOtherProtocol called when the server no longer offers HTTP/2, and no connection that accepts calls is left */
  constructor(
    url: URL,
    connect: Connect,
    first: OpenConnection,
    onOtherProtocol: () => void,
    clock: Clock = systemClock,
  ) {
    this.#url = url;
    this.#connect = connect;
    this.#onOtherProtocol = onOtherProtocol;
    this.#clock = clock;
    this.#adopt(first);
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && [...this.#connections].every(({ streams }) => streams === 0);
  }

  start(exchange: Exchange): void {
    if (exchange.isSettled) return;
    const connection = this.#withRoom();
    if (connection !== undefined) {
      this.#send(connection, exchange);
      return;
    }
    this.#waiting.push(exchange);
    void this.#grow();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#failWaiting(undefined);
    for (const connection of [...this.#connections]) connection.close();
    return Promise.resolve();
  }

  /** Sends the calls that wait for room. */
  changed(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const connection = next.isSettled ? undefined : this.#withRoom();
      if (connection === undefined && !next.isSettled) {
        void this.#grow();
        return;
      }
      this.#waiting.shift();
      if (connection !== undefined) this.#send(connection, next);
    }
  }

  closed(connection: Http2Connection, error: Error | undefined): void {
    this.#connections.delete(connection);
    /* It is like one that was not established: others would not do better. */
    if (!connection.isReady) this.#failWaiting(error);
    else this.changed();
  }

  #withRoom(): Http2Connection | undefined {
    for (const connection of this.#connections) if (connection.room > 0) return connection;
    return undefined;
  }

  /** Opens one connection at a time, because its number of streams is known only when the settings of the server arrive. */
  async #grow(): Promise<void> {
    if (this.#isConnecting || this.#isWaitingForSettings()) return;
    this.#isConnecting = true;
    try {
      if (this.#isClosed) throw new Error('the client is closed');
      const open = await this.#connect(this.#url, offeredProtocols);
      if (speaksHttp2(open)) this.#adopt(open);
      else this.#refuse(open);
    } catch (error) {
      this.#failWaiting(error);
    } finally {
      this.#isConnecting = false;
    }
    this.changed();
  }

  /** Closes a connection of another protocol, which a server may choose after a change of its configuration. */
  #refuse({ socket }: OpenConnection): never {
    socket.destroy();
    /* Calls of a connection that accepts no more of them, such as held polls, may take as long as they do. */
    if ([...this.#connections].every(({ isRetired }) => isRetired)) this.#onOtherProtocol();
    throw Object.assign(new Error('the server no longer offers HTTP/2'), { code: 'HTTP2_NOT_OFFERED' });
  }

  #isWaitingForSettings(): boolean {
    for (const { isReady, isPaused, isRetired } of this.#connections) {
      if ((!isReady || isPaused) && !isRetired) return true;
    }
    return false;
  }

  #failWaiting(error: unknown): void {
    for (const exchange of this.#waiting.splice(0)) exchange.fail(exchange.connectFailure(error));
  }

  #adopt(open: OpenConnection): void {
    if (this.#isClosed) {
      open.socket.destroy();
      return;
    }
    this.#connections.add(new Http2Connection({ open, owner: this, clock: this.#clock }));
  }

  #send(connection: Http2Connection, exchange: Exchange): void {
    try {
      connection.send(exchange);
    } catch (error) {
      exchange.fail(isTyped(error) ? error : exchange.connectFailure(error));
    }
  }
}
