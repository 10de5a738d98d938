import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';

/** The standard input of a process. Data written before the process runs is buffered up to the limit of the stream. */
export class ProcessInput extends Writable {
  #socket: Socket | undefined;
  #onAttach: (() => void) | undefined;

  /** Connects the stream to the process, whose end of the socket is its standard input. */
  attach(socket: Socket): void {
    if (this.destroyed || socket.destroyed) {
      socket.destroy();
      this.destroy();
      return;
    }
    this.#socket = socket;
    /* A write that fails reports the error itself. */
    socket.on('error', () => undefined);
    socket.once('close', () => this.destroy());
    socket.resume();
    this.#onAttach?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#whenAttached((socket) => socket.write(chunk, callback));
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#whenAttached((socket) => socket.end(callback));
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onAttach = undefined;
    this.#socket?.destroy();
    callback(error);
  }

  #whenAttached(use: (socket: Socket) => void): void {
    const socket = this.#socket;
    if (socket) use(socket);
    else this.#onAttach = () => this.#whenAttached(use);
  }
}

/** The standard output or error of a process. It reads only as much as its reader consumes, which slows the process down. */
export class ProcessOutput extends Readable {
  #socket: Socket | undefined;

  /** Connects the stream to the process, whose end of the socket is its output. */
  attach(socket: Socket): void {
    if (this.destroyed) return void socket.destroy();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('error', (error) => this.destroy(error));
    /* An output without data may already have ended. */
    if (socket.readableEnded || socket.destroyed) this.push(null);
    else socket.once('end', () => this.push(null));
    socket.resume();
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket?.destroy();
    callback(error);
  }
}
