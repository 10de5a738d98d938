import type { BindAddress } from '@interlock/service/flags';
import type { Attempt } from './attempt.js';
import type { Connection } from './connection.js';

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
}

/** The error of a connection that was not established in time. */
export class DialTimeout extends Error {
  override readonly name = 'DialTimeout';
}
