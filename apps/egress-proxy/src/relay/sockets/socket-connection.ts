import type { Socket } from 'node:net';
import { heldBytes, type HeldBytes } from '../held.js';
import { countGarbage } from './garbage.js';
import { ignore, ignoreAll, type Connection, type ConnectionHandler } from '../connection.js';

const nothing = Buffer.alloc(0);
/** Bytes that Node.js may read after a pause. With TLS, they are kept encrypted and decrypted. */
const readAheadBytes = { tcp: 64 * 1024, tls: 192 * 1024 } as const;

/** A TCP or TLS connection that uses the documented API of Node.js. */
export class SocketConnection implements Connection {
  readonly socket: Socket;
  /** The TCP connection: the socket, or the one below TLS. */
  readonly #transport: Socket;
  handler: ConnectionHandler = ignoreAll;
  holder: Connection['holder'];
  readonly #ledger: HeldBytes;
  #isRead = false;
  #isPaused = false;
  /** Bytes that are counted as held. */
  #held = 0;
  /** Whether the stream ended before the owner read from it. */
  #isEndPending = false;

  /**
   * @param socket has `allowHalfOpen`, and is not being read
   * @param ledger counts what the connection holds
   * @param transport the TCP connection below TLS
   */
  constructor(socket: Socket, ledger = heldBytes, transport = socket) {
    this.socket = socket;
    this.#transport = transport;
    this.#ledger = ledger;
    socket.on('end', () => this.#onEnd());
    socket.on('drain', () => {
      this.#count();
      this.handler.onDrain();
    });
    socket.on('finish', () => {
      this.#count();
      this.handler.onFinish();
    });
    /* An error without a listener would end the process; the close that follows is handled instead. */
    socket.on('error', ignore);
    socket.on('close', () => {
      this.#count();
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

  get held(): number {
    return this.#held;
  }

  resume(): void {
    if (!this.#isRead) {
      this.#isRead = true;
      this.socket.on('data', (bytes: Buffer) => this.#onData(bytes));
      if (this.#isEndPending) queueMicrotask(() => this.#onEnd());
    }
    this.#isPaused = false;
    this.#count();
    this.socket.resume();
  }

  pause(): void {
    this.#isPaused = true;
    this.#count();
    this.socket.pause();
  }

  suspend(): void {
    this.socket.pause();
  }

  write(bytes: Buffer): boolean {
    const isTaken = this.socket.write(bytes);
    if (!isTaken) this.#count();
    return isTaken;
  }

  end(): void {
    this.socket.end();
  }

  close(): void {
    this.handler = ignoreAll;
    this.socket.destroy();
    this.#count();
  }

  reset(): void {
    const { socket } = this;
    this.handler = ignoreAll;
    if (socket.destroyed) return;
    if ('encrypted' in socket) socket.destroy();
    /* libuv refuses to reset a connection while a half is being ended, and Node.js would then never close it. */
    else if (this.#isShuttingDown()) socket.once('finish', () => socket.resetAndDestroy());
    else socket.resetAndDestroy();
    this.#isPaused = false;
    this.#count();
  }

  /** Returns whether all bytes are sent, and the half of this side is about to end. */
  #isShuttingDown(): boolean {
    const { writableEnded, writableFinished, writableLength } = this.socket;
    return writableEnded && !writableFinished && writableLength === 0;
  }

  #onData(bytes: Buffer): void {
    countGarbage(bytes.length);
    this.handler.onData(bytes);
  }

  /** Counts what the connection holds now. */
  #count(): void {
    const { destroyed, writableEnded, writableLength, writableNeedDrain } = this.socket;
    /* Fewer bytes are sent without an event, so they would be counted for as long as the tunnel is idle. */
    const unsent = writableNeedDrain || writableEnded ? writableLength : 0;
    const ahead = this.#isPaused ? readAheadBytes['encrypted' in this.socket ? 'tls' : 'tcp'] : 0;
    const held = destroyed ? 0 : unsent + ahead;
    this.#ledger.add(held - this.#held);
    this.#held = held;
  }

  /**
   * Reports the end of the stream. libuv reports a reset right after data as an end of stream. An empty write distinguishes the two:
   * after a reset, the socket reports its error instead. The write is unnecessary while other bytes are pending, because their write
   * fails as well, and impossible once this side has ended its own stream.
   */
  #onEnd(): void {
    const transport = this.#transport;
    this.#isEndPending = !this.#isRead;
    if (!this.#isRead || transport.destroyed) return;
    if (transport.writableEnded || transport.writableLength > 0) this.handler.onEnd();
    else
      transport.write(nothing, (error) => {
        if (!error) this.handler.onEnd();
        /* Node.js does not report to TLS that the connection below it has failed. */
        else if (transport !== this.socket) this.handler.onClosed(false);
      });
  }
}
