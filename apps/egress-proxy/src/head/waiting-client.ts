import { Attempt } from '../relay/attempt.js';
import { ignore, type Connection, type ConnectionHandler } from '../relay/connection.js';

/**
 * A client whose target is being connected to. Most clients send nothing until they have the response, so the connection is suspended,
 * which costs system calls, only when bytes arrive.
 */
export class WaitingClient implements ConnectionHandler {
  readonly #connection: Connection;
  /** Given up when the client disconnects. */
  readonly attempt = new Attempt();
  readonly onDrain = ignore;
  readonly onFinish = ignore;
  /** Bytes that the client sent after its request: at most the rest of the read that completed its head, or one further read. */
  early: Buffer;
  /** Whether the client has ended its half. */
  hasEnded = false;

  /** Handles the events of the connection. @param early the bytes after the head */
  constructor(connection: Connection, early: Buffer) {
    this.#connection = connection;
    this.early = early;
    connection.handler = this;
    if (early.length > 0) connection.suspend();
  }

  onData(bytes: Buffer): void {
    this.early = Buffer.concat([this.early, bytes]);
    this.#connection.suspend();
  }

  onEnd(): void {
    this.hasEnded = true;
  }

  onClosed(): void {
    this.attempt.giveUp();
  }
}
