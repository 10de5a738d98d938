import type { Deadlines } from '@interlock/base';
import { ignore, ignoreAll, type Connection, type ConnectionHandler } from '../relay/connection.js';

/** First byte of every connection with TLS: the type of a record for a handshake (RFC 8446, 5.1). No method of HTTP begins with it. */
const handshakeRecord = 0x16;

/** @param first the first bytes of the client, valid until the call returns */
type OnDetected = (isTls: boolean, first: Buffer) => void;

/**
 * Reports whether a client uses TLS, as soon as its first byte arrives. The connection is being read then, and has no handler. A client
 * that sends nothing in time, or ends its stream first, is disconnected.
 */
export function detectTls(connection: Connection, time: Deadlines, onDetected: OnDetected): void {
  const deadline = time.start(() => connection.close());
  connection.handler = new FirstByte(connection, (first) => {
    deadline.cancel();
    if (first !== undefined) onDetected(first[0] === handshakeRecord, first);
  });
  connection.resume();
}

class FirstByte implements ConnectionHandler {
  readonly #connection: Connection;
  readonly #finish: (first: Buffer | undefined) => void;
  readonly onDrain = ignore;
  readonly onFinish = ignore;

  constructor(connection: Connection, finish: (first: Buffer | undefined) => void) {
    this.#connection = connection;
    this.#finish = finish;
  }

  onData(bytes: Buffer): void {
    this.#connection.handler = ignoreAll;
    this.#finish(bytes);
  }

  onEnd(): void {
    this.#connection.close();
    this.#finish(undefined);
  }

  onClosed(): void {
    this.#finish(undefined);
  }
}
