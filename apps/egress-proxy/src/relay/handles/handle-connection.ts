import { writeSync } from 'node:fs';
import { ignoreAll, type Connection, type ConnectionHandler } from '../connection.js';
import { heldBytes } from '../held.js';
import { copyBytes, copyOf, dropCopy, nextBuffer, readBytes, smallBuffer } from './buffers.js';
import type { HandleBinding, TcpHandle } from './binding.js';

/** UV_EOF of libuv, the same on every system. */
const endOfStream = -4095;

const nothing = Buffer.alloc(0);

/** A TCP connection without a Node.js stream. It needs no memory for reads, and half the work to open. */
export class HandleConnection implements Connection {
  readonly remoteAddress: string | undefined;
  handler: ConnectionHandler = ignoreAll;
  holder: Connection['holder'];
  readonly #binding: HandleBinding;
  /** Undefined when the connection is closed. */
  #handle: TcpHandle | undefined;
  /** -1 when the connection is closed, because the system reuses the number. */
  #fd: number;
  #unsent = 0;
  /** Bytes of the memory of all copies. */
  #held = 0;
  /** Whether the owner reads. */
  #isReading = false;
  /** Whether libuv reads. */
  #isStarted = false;
  /** Bytes that arrived before the owner started to read. */
  #early: Buffer | undefined;
  #hasEnded = false;
  #isEnding = false;
  #isFinished = false;
  #isShuttingDown = false;
  #whenShutDown: (() => void) | undefined;

  /** @param handle connected and without another owner */
  constructor(handle: TcpHandle, binding: HandleBinding, remoteAddress: string | undefined) {
    this.#handle = handle;
    this.#binding = binding;
    this.#fd = handle.fd;
    this.remoteAddress = remoteAddress;
    handle.connection = this;
    handle.useUserBuffer(smallBuffer);
    handle.onread = onRead;
  }

  get isClosed(): boolean {
    return this.#handle === undefined;
  }

  get buffered(): number {
    return this.#unsent + (this.#early?.length ?? 0);
  }

  get held(): number {
    return this.#held;
  }

  /**
   * Starts to read before the connection is established. The system call that registers the connection then serves for the reads as well.
   * At most one read is kept until the owner resumes.
   */
  readAhead(): void {
    this.#isStarted = this.#handle?.readStart() === 0;
  }

  resume(): void {
    if (this.#handle === undefined || this.#isReading || this.#hasEnded) return;
    this.#isReading = true;
    if (this.#early !== undefined) queueMicrotask(() => this.#deliverEarly());
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.#handle.readStart() < 0) this.#breakSoon();
  }

  pause(): void {
    this.#isReading = false;
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#handle?.readStop();
  }

  suspend(): void {
    this.pause();
  }

  write(bytes: Buffer): boolean {
    if (this.#handle === undefined || this.#isEnding || bytes.length === 0) return true;
    const sent = this.#unsent > 0 ? 0 : this.#send(bytes);
    if (sent < 0) this.#breakSoon();
    return sent < 0 || sent === bytes.length || this.#sendLater(this.#handle, bytes.subarray(sent));
  }

  end(): void {
    if (this.#handle === undefined || this.#isEnding) return;
    this.#isEnding = true;
    if (this.#unsent === 0) this.#endHalf(this.#handle);
  }

  close(): void {
    this.#leave()?.close();
  }

  reset(): void {
    const handle = this.#leave();
    /* libuv refuses to reset a connection while a half is being ended, and Node.js would then never close it. */
    if (this.#isShuttingDown) this.#whenShutDown = () => void handle?.reset();
    else handle?.reset();
  }

  /** Gives the handle away, without an event. */
  detach(): TcpHandle | undefined {
    this.holder = undefined;
    return this.#leave();
  }

  /** Handles a read. Returns the buffer for the next one, or undefined for the same one. */
  read(): Buffer | undefined {
    if (this.#handle === undefined) return undefined;
    const count = this.#binding.bytesRead();
    if (count > 0) {
      if (this.#isReading) this.handler.onData(readBytes(count));
      else this.#keepEarly(readBytes(count));
      return nextBuffer(count, this.#isReading);
    }
    if (count === endOfStream) this.#onEnd();
    else if (count < 0) this.#closeAs(false);
    return undefined;
  }

  /**
   * Handles the end of the stream. libuv reports a reset right after data as an end of stream. An empty write, if
   * possible, distinguishes the two.
   */
  #onEnd(): void {
    /* libuv has stopped reading. If the owner has not started, libuv reports the end again when it does. */
    this.#isStarted = false;
    if (!this.#isReading) return;
    this.#isReading = false;
    this.#hasEnded = true;
    const isReset = !this.#isEnding && this.#unsent === 0 && this.#send(nothing) < 0;
    if (isReset) return this.#closeAs(false);
    this.handler.onEnd();
    if (this.#isFinished) this.#closeAs(true);
  }

  #keepEarly(bytes: Buffer): void {
    if (!heldBytes.hasRoomFor(bytes.length)) return this.#overflow();
    this.#early = this.#keep(bytes);
    this.pause();
  }

  #deliverEarly(): void {
    const early = this.#early;
    if (early === undefined || !this.#isReading) return;
    this.#early = undefined;
    this.handler.onData(early);
    this.#drop(early);
  }

  /** Sends the bytes that the kernel accepts at once. Returns their number, or -1 if the connection has failed. */
  #send(bytes: Buffer): number {
    try {
      return writeSync(this.#fd, bytes, 0, bytes.length);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : -1;
    }
  }

  /** Copies bytes and sends them asynchronously. Returns whether they are already sent. */
  #sendLater(handle: TcpHandle, bytes: Buffer): boolean {
    if (!heldBytes.hasRoomFor(bytes.length)) {
      this.#overflow();
      return false;
    }
    for (let at = 0; at < bytes.length; at += copyBytes) {
      if (!this.#sendCopy(handle, bytes.subarray(at, at + copyBytes))) {
        this.#breakSoon();
        break;
      }
    }
    return this.#unsent === 0;
  }

  /** Returns whether the bytes are sent, or will be. */
  #sendCopy(handle: TcpHandle, bytes: Buffer): boolean {
    const copy = this.#keep(bytes);
    const request = this.#binding.newWrite();
    request.bytes = copy;
    request.oncomplete = (status) => {
      this.#drop(copy);
      this.#onSent(copy.length, status);
    };
    const status = handle.writeBuffer(request, copy);
    if (status < 0 || !this.#binding.isWritePending()) this.#drop(copy);
    else this.#unsent += copy.length;
    return status >= 0;
  }

  #keep(bytes: Buffer): Buffer {
    const copy = copyOf(bytes);
    this.#hold(copy.buffer.byteLength);
    return copy;
  }

  #drop(copy: Buffer): void {
    dropCopy(copy);
    if (this.isClosed) heldBytes.addLeaving(-copy.buffer.byteLength);
    this.#hold(-copy.buffer.byteLength);
  }

  #hold(bytes: number): void {
    this.#held += bytes;
    heldBytes.add(bytes);
  }

  #onSent(count: number, status: number): void {
    this.#unsent -= count;
    if (this.#handle === undefined) return;
    if (status < 0) this.#closeAs(false);
    else if (this.#unsent > 0) return;
    else if (this.#isEnding) this.#endHalf(this.#handle);
    else this.handler.onDrain();
  }

  /**
   * Ends the half of this side. If it is the second half to end, it closes the connection: all bytes were read, so the close cannot
   * become a reset.
   */
  #endHalf(handle: TcpHandle): void {
    if (this.#hasEnded) queueMicrotask(() => this.#onFinish());
    else this.#shutDown(handle);
  }

  #shutDown(handle: TcpHandle): void {
    const request = this.#binding.newShutdown();
    request.oncomplete = (status) => {
      this.#isShuttingDown = false;
      this.#whenShutDown?.();
      if (this.#handle === undefined) return;
      if (status < 0) this.#closeAs(false);
      else this.#onFinish();
    };
    this.#isShuttingDown = true;
    const status = handle.shutdown(request);
    if (status === 0) return;
    this.#isShuttingDown = false;
    if (status < 0) this.#breakSoon();
    else queueMicrotask(() => this.#onFinish());
  }

  #onFinish(): void {
    this.#isFinished = true;
    this.handler.onFinish();
    if (this.#hasEnded) this.#closeAs(true);
  }

  /** Reports a failure after the call of the caller has returned, as other connections do. */
  #breakSoon(): void {
    queueMicrotask(() => this.#closeAs(false));
  }

  /** Closes the connection, as {@link #breakSoon} does, because it cannot keep bytes. */
  #overflow(): void {
    queueMicrotask(() => {
      this.handler.onOverflow?.();
      this.#closeAs(false);
    });
  }

  #closeAs(isComplete: boolean): void {
    const { handler } = this;
    const handle = this.#leave();
    if (handle === undefined) return;
    handle.close();
    handler.onClosed(isComplete);
  }

  /** Releases the handle to the caller. Returns undefined if the connection is already closed. */
  #leave(): TcpHandle | undefined {
    const handle = this.#handle;
    if (handle === undefined) return undefined;
    this.pause();
    if (this.#early !== undefined) this.#drop(this.#early);
    this.#early = undefined;
    /* libuv releases the copies in its next iteration. */
    heldBytes.addLeaving(this.#held);
    this.#handle = undefined;
    this.#fd = -1;
    this.handler = ignoreAll;
    this.holder?.release();
    return handle;
  }
}

/** Handles a read. One function for all handles saves memory for each of them. */
function onRead(this: TcpHandle): Buffer | undefined {
  return (this.connection as HandleConnection).read();
}
