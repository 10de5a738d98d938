import { isTyped } from '@interlock/api';
import type { Connect, OpenConnection } from './connector.js';
import type { Exchange } from './exchange.js';
import { Http1Connection } from './http1-connection.js';
import { IdleConnections } from './idle-connections.js';
import type { OriginTransport } from './origin-transport.js';

/** The number of concurrent handshakes: with more, each takes longer, may time out, and fragments the memory. */
const maxOpening = 64;
/** How long a connection that has not been used may wait for a call. */
const unusedMs = 1_000;

/** HTTP/1.1 to one origin: a connection for each call in progress. */
export class Http1Origin implements OriginTransport {
  readonly #url: URL;
  readonly #connect: Connect;
  readonly #connections = new Set<Http1Connection>();
  readonly #idle = new IdleConnections<Http1Connection>();
  /** Calls that wait for a connection that is being opened or becomes free. */
  readonly #waiting: Exchange[] = [];
  #opening = 0;
  #isClosed = false;

  /** @param spare a connection that is already open */
  constructor(url: URL, connect: Connect, spare: OpenConnection | undefined) {
    this.#url = url;
    this.#connect = connect;
    if (spare !== undefined) this.#idle.add(this.#adopt(spare), unusedMs);
  }

  get isIdle(): boolean {
    return this.#opening === 0 && this.#connections.size === this.#idle.size;
  }

  start(exchange: Exchange): void {
    if (exchange.isSettled) return;
    const connection = this.#idle.take();
    if (connection !== undefined) this.#send(connection, exchange);
    else if (this.#opening < maxOpening) void this.#open(exchange);
    else this.#waiting.push(exchange);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#waiting.splice(0)) exchange.fail(exchange.connectFailure(undefined));
    this.#idle.clear();
    for (const connection of this.#connections) connection.close();
    return Promise.resolve();
  }

  async #open(exchange: Exchange): Promise<void> {
    this.#opening += 1;
    try {
      const open = await this.#connect(this.#url, ['http/1.1']);
      if (this.#isClosed) {
        open.socket.destroy();
        throw new Error('the client is closed');
      }
      const connection = this.#adopt(open);
      if (exchange.isSettled) this.#idle.add(connection, unusedMs);
      else this.#send(connection, exchange);
    } catch (error) {
      exchange.fail(exchange.connectFailure(error));
    } finally {
      this.#opening -= 1;
      this.#drain();
    }
  }

  #drain(): void {
    while (this.#waiting.length > 0 && (this.#idle.size > 0 || this.#opening < maxOpening)) {
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

  #adopt(open: OpenConnection): Http1Connection {
    const connection = new Http1Connection(open, this.#onFree);
    this.#connections.add(connection);
    return connection;
  }

  /** Shared by all connections to save memory, because each of them holds it. */
  readonly #onFree = (connection: Http1Connection, reusableMs: number): void => {
    if (reusableMs > 0 && !this.#isClosed) {
      this.#idle.add(connection, reusableMs);
      this.#drain();
      return;
    }
    this.#connections.delete(connection);
    this.#idle.remove(connection);
  };
}
