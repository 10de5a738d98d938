import { ignoreAll, type Connection, type ConnectionHandler } from './connection.js';

/** How a tunnel ended. */
export type TunnelEnd = 'completed' | 'clientReset' | 'targetReset' | 'cut';

/** The two connections of a tunnel, created by the same engine. Neither is being read yet. */
interface TunnelEnds {
  readonly client: Connection;
  readonly target: Connection;
  /** Written to the client before any byte of the target; not counted. */
  readonly greeting: Buffer;
  /** Bytes that the client sent after its request: the first ones for the target. */
  readonly early: Buffer;
}

/**
 * Relays the bytes between two connections. It guarantees that every byte that was read before an end of stream is delivered in order.
 * The end of one direction does not affect the other. A reset of one side resets the other. While one side does not read, the other
 * is not read either, with a bounded number of bytes in between.
 */
export class Tunnel {
  readonly #client: Connection;
  readonly #target: Connection;
  readonly #up: Side;
  readonly #down: Side;
  readonly #onEnd: (end: TunnelEnd) => void;
  #openDirections = 2;
  #isOver = false;

  /** @param onEnd called once, when both connections are closed, and not before the constructor returns */
  constructor({ client, target, greeting, early }: TunnelEnds, onEnd: (end: TunnelEnd) => void) {
    this.#client = client;
    this.#target = target;
    this.#onEnd = onEnd;
    const onFinish = (): void => this.#finishDirection();
    this.#up = new Side(client, target, onFinish, () => this.#finish('clientReset'));
    this.#down = new Side(target, client, onFinish, () => this.#finish('targetReset'));
    this.#up.bytes = early.length;
    if (client.isClosed || target.isClosed) {
      const end = client.isClosed ? 'clientReset' : 'targetReset';
      queueMicrotask(() => this.#finish(end));
      return;
    }
    client.handler = this.#up;
    target.handler = this.#down;
    const isClientReady = client.write(greeting);
    const isTargetReady = early.length === 0 || target.write(early);
    if (isTargetReady) client.resume();
    if (isClientReady) target.resume();
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
    return this.#client.buffered + this.#target.buffered;
  }

  /** Resets both connections. The end is reported before this returns. */
  cut(): void {
    this.#finish('cut');
  }

  #finishDirection(): void {
    this.#openDirections -= 1;
    if (this.#openDirections === 0) this.#finish('completed');
  }

  #finish(end: TunnelEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const connection of [this.#client, this.#target]) {
      connection.handler = ignoreAll;
      if (end === 'completed') connection.close();
      else connection.reset();
    }
    this.#onEnd(end);
  }
}

/** Relays the bytes of one connection to the other. */
class Side implements ConnectionHandler {
  readonly #own: Connection;
  readonly #other: Connection;
  readonly onFinish: () => void;
  readonly #onBroken: () => void;
  bytes = 0;

  constructor(own: Connection, other: Connection, onFinish: () => void, onBroken: () => void) {
    this.#own = own;
    this.#other = other;
    this.onFinish = onFinish;
    this.#onBroken = onBroken;
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

  onClosed(isComplete: boolean): void {
    if (!isComplete) this.#onBroken();
  }
}
