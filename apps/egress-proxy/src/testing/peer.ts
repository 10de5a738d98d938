import { ignoreAll, type Connection } from '../relay/connection.js';
import { pattern } from './pattern.js';

/** One outer end of a tunnel: it sends the pattern, and checks that it receives the pattern. */
export class Peer {
  readonly connection: Connection;
  sent = 0;
  received = 0;
  /** The bytes before the pattern. */
  #prefix: Buffer;
  isExact = true;
  hasEnd = false;
  isReset = false;
  #isEnding = false;
  #onChange: () => void = () => undefined;
  #isFull = false;
  #onDrain: () => void = () => undefined;

  constructor(connection: Connection, prefix = '') {
    this.connection = connection;
    this.#prefix = Buffer.from(prefix, 'latin1');
    connection.handler = {
      ...ignoreAll,
      onData: (bytes) => this.#check(bytes),
      onDrain: () => {
        this.#isFull = false;
        this.#onDrain();
      },
      onEnd: () => this.#set(() => (this.hasEnd = true)),
      onClosed: (isComplete) => {
        this.#set(() => (this.isReset = !isComplete));
        this.#onDrain();
      },
    };
    connection.resume();
  }

  /** Sends the next bytes of the pattern. */
  send(length: number): void {
    if (this.connection.isClosed || this.#isEnding) return;
    this.#isFull = !this.connection.write(pattern(this.sent, length));
    this.sent += length;
  }

  /** Resolves when most of the sent bytes have left the process. */
  async flushed(): Promise<void> {
    while (this.#isFull && !this.connection.isClosed)
      await new Promise<void>((resolve) => (this.#onDrain = resolve));
  }

  end(): void {
    this.#isEnding = true;
    this.connection.end();
  }

  reset(): void {
    this.connection.reset();
  }

  /** Resolves when a condition holds, which is checked after each event of the connection. */
  async until(condition: (peer: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => (this.#onChange = resolve));
  }

  #check(chunk: Buffer): void {
    const start = this.#prefix.subarray(0, chunk.length);
    if (!chunk.subarray(0, start.length).equals(start)) this.isExact = false;
    this.#prefix = this.#prefix.subarray(start.length);
    const body = chunk.subarray(start.length);
    if (!pattern(this.received, body.length).equals(body)) this.isExact = false;
    this.received += body.length;
    this.#onChange();
  }

  #set(change: () => void): void {
    change();
    this.#onChange();
  }
}
