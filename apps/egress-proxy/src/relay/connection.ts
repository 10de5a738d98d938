/**
 * One connection, from a client or to a target. Its halves end independently, and it is closed when both have ended. Reading starts
 * with the first {@link Connection.resume}.
 */
export interface Connection {
  /** Address of the other side; undefined if the connection was closed before it was read. */
  readonly remoteAddress: string | undefined;
  /** Whether the connection is closed, so that it reports no more events. */
  readonly isClosed: boolean;
  /** Bytes that were read and not delivered, or accepted and not sent. */
  readonly buffered: number;
  /** Bytes of memory that count as held for a slow reader. */
  readonly held: number;
  /** Receives the events of the connection. */
  handler: ConnectionHandler;
  /** Released once, when the connection is closed for any reason; undefined if it is not counted. */
  holder: ConnectionHolder | undefined;
  /** Starts or resumes reading. */
  resume(): void;
  /** Pauses reading. Bytes that were already read may still be reported. */
  pause(): void;
  /** Pauses reading before there is a tunnel: bytes that were already read do not count as held, because no tunnel can be reset for them. */
  suspend(): void;
  /** Sends bytes. Returns false when the caller should wait for `onDrain` before it sends more. */
  write(bytes: Buffer): boolean;
  /** Ends the half of this side after all written bytes have been sent. */
  end(): void;
  /** Closes both halves. */
  close(): void;
  /** Closes both halves so that the other side can detect that they are incomplete: by a reset, or, with TLS, without an end of stream. */
  reset(): void;
}

/** What counts an open connection. */
export interface ConnectionHolder {
  release(): void;
}

/** The events of a connection that its owner did not cause. */
export interface ConnectionHandler {
  /** @param bytes valid until the call returns; pass them only to connections of the same engine */
  onData(bytes: Buffer): void;
  /** The other side has ended its half. */
  onEnd(): void;
  /** All written bytes are sent. Called only after a `write` that returned false. */
  onDrain(): void;
  /** The half of this side has ended. */
  onFinish(): void;
  /**
   * There is no memory for bytes that were written, so the connection is incomplete. It is closed after this call.
   */
  onOverflow?(): void;
  /**
   * The connection was closed, and not by its owner.
   *
   * @param isComplete whether both halves had ended; false if it was reset or failed
   */
  onClosed(isComplete: boolean): void;
}

/** Ignores all events. */
export const ignoreAll: ConnectionHandler = {
  onData: ignore,
  onEnd: ignore,
  onDrain: ignore,
  onFinish: ignore,
  onClosed: ignore,
};

/** Does nothing. */
export function ignore(): void {
  /* By intent. */
}
