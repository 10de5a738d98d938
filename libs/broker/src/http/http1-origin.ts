import { isTyped } from '@interlock/api';
import type { Connect, ConnectedSocket } from './connector.js';
import type { Exchange } from './exchange.js';
import { Http1Connection } from './http1-connection.js';
import type { OriginTransport } from './origin-transport.js';

/** The number of concurrent handshakes: with more, each takes longer, may time out, and fragments the memory. */
const maxOpening = 64;

/** HTTP/1.1 to one origin: a connection for each call in progress. */
export class Http1Origin implements OriginTransport {
  readonly #url: URL;
  readonly #connect: Connect;
  readonly #connections = new Set<Http1Connection>();
  /** Connections without a call; the one that was used last is reused first. */
  readonly #idle: Http1Connection[] = [];
  /** Calls that wait for a connection that is being opened or becomes free. */
  readonly #waiting: Exchange[] = [];
  #opening = 0;
  #isClosed = false;

  /** @param spare a connection that is already open */
  constructor(url: URL, connect: Connect, spare: ConnectedSocket | undefined) {
    this.#url = url;
    this.#connect = connect;
    if (spare !== undefined) this.#idle.push(this.#adopt(spare));
  }

  get isIdle(): boolean {
    return this.#opening === 0 && this.#connections.size === this.#idle.length;
  }

  start(exchange: Exchange): void {
    if (exchange.isSettled) return;
    let connection = this.#idle.pop();
    while (connection !== undefined && !connection.isOpen) connection = this.#idle.pop();
    if (connection !== undefined) this.#send(connection, exchange);
    else if (this.#opening < maxOpening) void this.#open(exchange);
    else this.#waiting.push(exchange);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#waiting.splice(0)) exchange.fail(exchange.connectFailure(undefined));
    for (const connection of this.#connections) connection.close();
    return Promise.resolve();
  }

  async #open(exchange: Exchange): Promise<void> {
    this.#opening += 1;
    try {
      const connection = this.#adopt(await this.#connect(this.#url, ['http/1.1']));
      if (this.#isClosed) connection.close();
      if (exchange.isSettled) this.#keep(connection, 1_000);
      else this.#send(connection, exchange);
    } catch (error) {
      exchange.fail(exchange.connectFailure(error));
    } finally {
      this.#opening -= 1;
      this.#drain();
    }
  }

  #drain(): void {
    while (this.#waiting.length > 0 && (this.#idle.length > 0 || this.#opening < maxOpening)) {
      const next = this.#waiting.shift();
      if (next !== undefined) this.start(next);
    }
  }

  #send(connection: Http1Connection, exchange: Exchange): void {
    try {
      connection.send(exchange);
    } catch (error) {
      connection.close();
      exchange.fail(isTyped(error) ? error : exchange.connectFailure(error));
    }
  }

  #adopt(socket: ConnectedSocket): Http1Connection {
    const connection = new Http1Connection(socket, this.#onFree);
    this.#connections.add(connection);
    return connection;
  }

  /** Shared by all connections to save memory, because each of them holds it. */
  readonly #onFree = (connection: Http1Connection, reusableMs: number): void => {
    if (reusableMs > 0 && !this.#isClosed) {
      this.#keep(connection, reusableMs);
      this.#drain();
      return;
    }
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  };

  #keep(connection: Http1Connection, ms: number): void {
    this.#idle.push(connection);
    connection.closeIn(ms);
  }
}
