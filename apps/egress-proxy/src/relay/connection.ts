/**
 * One connection, of a client or to a target. Each half of it ends for itself, and it is closed when both are ended. Nothing is read
 * before the first {@link Connection.resume}.
 */
export interface Connection {
  /** Address of the other side; undefined when it was gone before it could be asked for. */
  readonly remoteAddress: string | undefined;
  /** Whether the connection is over, on which nothing is reported any more. */
  readonly isClosed: boolean;
  /** Bytes that were read and not handed on, or taken and not sent. */
  readonly buffered: number;
  /** Who is told what happens. */
  handler: ConnectionHandler;
  /** Called once, when the connection is over for whatever reason. */
  released: () => void;
  /** Reads from now on. */
  resume(): void;
  /** Reads no more; what is read already may still be reported. */
  pause(): void;
  /** Sends bytes. Returns false when the caller should send no more before `onDrain`. */
  write(bytes: Buffer): boolean;
  /** Ends its own half, behind all that was written. */
  end(): void;
  /** Closes both halves. */
  close(): void;
  /** Closes both halves so that the other side sees that they were not completed: by a reset, or, with TLS, without an end of stream. */
  reset(): void;
}

/** What happens on a connection that somebody else causes. */
export interface ConnectionHandler {
  /** @param bytes valid until the call returns, and to be handed to connections of the same engine only */
  onData(bytes: Buffer): void;
  /** The other side has ended its half. */
  onEnd(): void;
  /** All that was written is sent. Called only after a `write` that returned false. */
  onDrain(): void;
  /** The own half is ended. */
  onFinish(): void;
  /**
   * The connection is over, though nobody closed it here.
   *
   * @param isComplete whether both halves were ended; false: it was reset, or failed
   */
  onClosed(isComplete: boolean): void;
}

/** Does nothing with what happens. */
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
