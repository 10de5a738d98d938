import { ignoreAll, type Connection, type ConnectionHandler } from './connection.js';

/** How a tunnel ended. */
export type TunnelEnd = 'completed' | 'clientReset' | 'targetReset' | 'memoryExceeded' | 'cut';

/** The two connections of a tunnel, created by the same engine. Neither is being read yet. */
interface TunnelEnds {
  readonly client: Connection;
  readonly target: Connection;
  /** Written to the client before any byte of the target; not counted. */
  readonly greeting: Buffer;
  /** Bytes that the client sent after its request: the first bytes for the target. */
  readonly early: Buffer;
  /** Whether the client has already ended its half. */
  readonly hasClientEnded: boolean;
}

/**
 * Relays the bytes between two connections. It guarantees that every byte that was read before an end of stream is delivered in order.
 * The end of one direction does not affect the other. A reset of one side resets the other. While one side does not read, the other
 * is not read either, with a bounded number of bytes in between.
 */
export class Tunnel {
  readonly #connections: Connections;
  readonly #up: Side;
  readonly #down: Side;

  /** @param onEnd called once, when both connections are closed, and not before the constructor returns */
  constructor(
    { client, target, greeting, early, hasClientEnded }: TunnelEnds,
    onEnd: (end: TunnelEnd) => void,
  ) {
    const connections = new Connections(client, target, onEnd);
    this.#connections = connections;
    this.#up = new Side(client, target, connections);
    this.#down = new Side(target, client, connections);
    this.#up.bytes = early.length;
    if (client.isClosed || target.isClosed) {
      const end = client.isClosed ? 'clientReset' : 'targetReset';
      queueMicrotask(() => connections.finish(end));
      return;
    }
    client.handler = this.#up;
    target.handler = this.#down;
    const isClientReady = client.write(greeting);
    const isTargetReady = early.length === 0 || target.write(early);
    if (isTargetReady) client.resume();
    else client.pause();
    if (isClientReady) target.resume();
    if (hasClientEnded) target.end();
  }

  /** Bytes that were read from the client. */
  get bytesUp(): number {
    return this.#up.bytes;
  }

  /** Bytes that were read from the target. */
  get bytesDown(): number {
    return this.#down.bytes;
  }

  /** Bytes that were read and not yet sent to the other side. */
  get buffered(): number {
    return this.#connections.buffered;
  }

  /** Bytes of memory that the tunnel holds for a slow reader. */
  get held(): number {
    return this.#connections.held;
  }

  /** Resets both connections. The end is reported before this returns. */
  cut(): void {
    this.#connections.finish('cut');
  }
}

/** The two connections, until both are closed. */
class Connections {
  readonly #client: Connection;
  readonly #target: Connection;
  readonly #onEnd: (end: TunnelEnd) => void;
  #openDirections = 2;
  #isOver = false;

  constructor(client: Connection, target: Connection, onEnd: (end: TunnelEnd) => void) {
    this.#client = client;
    this.#target = target;
    this.#onEnd = onEnd;
  }

  get buffered(): number {
    return this.#client.buffered + this.#target.buffered;
  }

  get held(): number {
    return this.#client.held + this.#target.held;
  }

  /** Closes the connections when both directions have finished. */
  finishDirection(): void {
    this.#openDirections -= 1;
    if (this.#openDirections === 0) this.finish('completed');
  }

  /** Resets the connections because one of them was not closed completely. */
  break(broken: Connection): void {
    this.finish(broken === this.#client ? 'clientReset' : 'targetReset');
  }

  finish(end: TunnelEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    finishConnection(this.#client, end);
    finishConnection(this.#target, end);
    this.#onEnd(end);
  }
}

function finishConnection(connection: Connection, end: TunnelEnd): void {
  connection.handler = ignoreAll;
  if (end === 'completed') connection.close();
  else connection.reset();
}

/** Relays the bytes of one connection to the other. */
class Side implements ConnectionHandler {
  readonly #own: Connection;
  readonly #other: Connection;
  readonly #connections: Connections;
  bytes = 0;

  constructor(own: Connection, other: Connection, connections: Connections) {
    this.#own = own;
    this.#other = other;
    this.#connections = connections;
  }

  onData(bytes: Buffer): void {
    this.bytes += bytes.length;
    if (!this.#other.write(bytes)) this.#own.pause();
  }

  onEnd(): void {
    this.#other.end();
  }

  onDrain(): void {
    this.#other.resume();
  }

  onFinish(): void {
    this.#connections.finishDirection();
  }

  onOverflow(): void {
    this.#connections.finish('memoryExceeded');
  }

  onClosed(isComplete: boolean): void {
    if (!isComplete) this.#connections.break(this.#own);
  }
}
