import type { Socket } from 'node:net';
import { ignore, ignoreAll, type Connection, type ConnectionHandler } from '../connection.js';

const nothing = Buffer.alloc(0);

/** A connection by TCP or TLS, as Node.js documents them. */
export class SocketConnection implements Connection {
  readonly socket: Socket;
  handler: ConnectionHandler = ignoreAll;
  released: () => void = ignore;
  #isRead = false;

  /** @param socket accepts its other half being open when one is ended, and is not read by anybody */
  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('end', () => this.#onEnd());
    socket.on('drain', () => this.handler.onDrain());
    socket.on('finish', () => this.handler.onFinish());
    /* An error that nothing listens for ends the process; the close that follows is what counts. */
    socket.on('error', ignore);
    socket.on('close', () => {
      this.handler.onClosed(socket.readableEnded && socket.writableFinished);
      this.released();
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
   * Reports the end of the stream. libuv reports a reset that follows right behind data as an end of stream; an empty write tells the
   * two apart, after which the socket reports its error instead. It is not needed where bytes wait to be written, which meet the error
   * themselves, and is not possible once this side has ended its own stream.
   */
  #onEnd(): void {
    const { socket } = this;
    if ('encrypted' in socket || socket.writableEnded || socket.writableLength > 0) this.handler.onEnd();
    else socket.write(nothing, (error) => void (error ?? this.handler.onEnd()));
  }
}
