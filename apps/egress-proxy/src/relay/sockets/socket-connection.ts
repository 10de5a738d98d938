import type { Socket } from 'node:net';
import { ignore, ignoreAll, type Connection, type ConnectionHandler } from '../connection.js';

const nothing = Buffer.alloc(0);

/** A TCP or TLS connection that uses the documented API of Node.js. */
export class SocketConnection implements Connection {
  readonly socket: Socket;
  handler: ConnectionHandler = ignoreAll;
  holder: Connection['holder'];
  #isRead = false;
  /** Whether the stream ended before the owner read from it. */
  #isEndPending = false;

  /** @param socket has `allowHalfOpen`, and is not being read */
  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('end', () => this.#onEnd());
    socket.on('drain', () => this.handler.onDrain());
    socket.on('finish', () => this.handler.onFinish());
    /* An error without a listener would end the process; the close that follows is handled instead. */
    socket.on('error', ignore);
    socket.on('close', () => {
      this.handler.onClosed(socket.readableEnded && socket.writableFinished);
      this.holder?.release();
    });
  }

  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress;
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  get buffered(): number {
    return this.socket.writableLength + this.socket.readableLength;
  }

  resume(): void {
    if (!this.#isRead) {
      this.#isRead = true;
      this.socket.on('data', (bytes: Buffer) => this.handler.onData(bytes));
      if (this.#isEndPending) queueMicrotask(() => this.#onEnd());
    }
    this.socket.resume();
  }

  pause(): void {
    this.socket.pause();
  }

  write(bytes: Buffer): boolean {
    return this.socket.write(bytes);
  }

  end(): void {
    this.socket.end();
  }

  close(): void {
    this.handler = ignoreAll;
    this.socket.destroy();
  }

  reset(): void {
    this.handler = ignoreAll;
    if (this.socket.destroyed) return;
    if ('encrypted' in this.socket) this.socket.destroy();
    else this.socket.resetAndDestroy();
  }

  /**
   * Reports the end of the stream. libuv reports a reset right after data as an end of stream. An empty write distinguishes the two:
   * after a reset, the socket reports its error instead. The write is unnecessary while other bytes are pending, because their write
   * fails as well, and impossible once this side has ended its own stream.
   */
  #onEnd(): void {
    const { socket } = this;
    this.#isEndPending = !this.#isRead;
    if (!this.#isRead || socket.destroyed) return;
    if ('encrypted' in socket || socket.writableEnded || socket.writableLength > 0) this.handler.onEnd();
    else socket.write(nothing, (error) => void (error ?? this.handler.onEnd()));
  }
}
