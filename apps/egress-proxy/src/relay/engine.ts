import type { BindAddress } from '@interlock/service/flags';
import type { Attempt } from './attempt.js';
import type { Connection } from './connection.js';
import type { SocketConnection } from './sockets/socket-connection.js';

/** Connects to one address. Rejects when it is refused, not reached in time, or no longer needed. */
export type Dial<C extends Connection = Connection> = (
  address: string,
  port: number,
  attempt: Attempt,
) => Promise<C>;

/** A port on which connections are accepted. */
export interface Listening {
  readonly port: number;
  /** Stops accepting connections. Open connections are kept. */
  stop(): void;
}

export interface ListenOptions<C extends Connection> {
  readonly address: BindAddress;
  readonly onConnection: (connection: C) => void;
  /** Called when a connection could not be accepted. */
  readonly onError: (error: Error) => void;
}

/** Creates the connections of the proxy with one of the APIs of Node.js. */
export interface RelayEngine<C extends Connection = Connection> {
  readonly name: 'sockets' | 'handles';
  /** Accepts connections. Rejects when the address cannot be bound. */
  listen(options: ListenOptions<C>): Promise<Listening>;
  readonly dial: Dial<C>;
  /**
   * Returns the connection of a client as one of a socket of Node.js, which TLS requires. The connection itself is not used any more.
   *
   * @param connection was read until now
   * @param first the bytes that the socket reads first
   */
  handOver(connection: C, first: Buffer): SocketConnection;
}

/** The error of a connection that was not established in time. */
export class DialTimeout extends Error {
  override readonly name = 'DialTimeout';
}
