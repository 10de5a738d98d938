import { isTyped } from '@interlock/api';
import type { Clock } from '@interlock/base';
import type { ConnectedSocket, OpenConnection } from '../connector.js';
import type { Exchange } from '../exchange.js';
import { maxHeadBytes } from './answer-head.js';
import { BodySender } from './body-sender.js';
import { FrameOutput } from './frame-output.js';
import { FrameReader } from './frame-reader.js';
import { goawayFrame, headersFrames, pingFrame, settingsFrame, windowUpdateFrame } from './frames.js';
import { errorCodes, Http2Error } from './http2-error.js';
import { streamWindow, type Http2Stream } from './http2-stream.js';
import { Liveness } from './liveness.js';
import { defaultWindow, PeerSettings, settingIds } from './peer-settings.js';
import { connectionWindow } from './receive-window.js';
import { encodeRequest, noTable } from './request-head.js';
import { ServerFrames } from './server-frames.js';
import { StreamTable } from './stream-table.js';

/** Maximum number of streams of one connection, even if the server permits more, to limit the calls that a broken connection interrupts. */
const maxStreams = 250;
/** The timeout for sending the last frame. */
const closeTimeoutMs = 1_000;
const pingContent = Buffer.from('liveness', 'latin1');
const firstFrames = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
  settingsFrame([
    [settingIds.enablePush, 0],
    [settingIds.initialWindowSize, streamWindow],
    [settingIds.maxHeaderListSize, maxHeadBytes],
  ]),
  windowUpdateFrame(0, connectionWindow - defaultWindow),
]);

export interface ConnectionOwner {
  /** Called when a connection may have room for more calls. */
  changed(): void;
  /** Called once, when a connection is closed. @param error undefined when there is none */
  closed(connection: Http2Connection, error: Error | undefined): void;
}

interface Http2ConnectionOptions {
  open: OpenConnection;
  owner: ConnectionOwner;
  clock: Clock;
  /** Default: 1. */
  firstStreamId?: number | undefined;
}

/** One HTTP/2 connection of a client (RFC 9113). A call in progress is one small object, because there are many idle long polls. */
export class Http2Connection {
  readonly #socket: ConnectedSocket;
  readonly #owner: ConnectionOwner;
  readonly #settings = new PeerSettings();
  readonly #output: FrameOutput;
  readonly #bodies: BodySender;
  readonly #streams: StreamTable;
  readonly #reader: FrameReader;
  readonly #liveness: Liveness;
  /** The first stream whose request has not been passed to the connection. */
  #unsentId: number;
  #hasSent = false;
  #isRetired = false;
  #isClosed = false;
  #error: Error | undefined;

  constructor({ open, owner, clock, firstStreamId = 1 }: Http2ConnectionOptions) {
    const { socket, received } = open;
    this.#socket = socket;
    this.#owner = owner;
    this.#unsentId = firstStreamId;
    this.#output = new FrameOutput(socket, () => (this.#unsentId = this.#streams.nextId));
    this.#bodies = new BodySender(this.#output, this.#settings);
    const [output, bodies, settings] = [this.#output, this.#bodies, this.#settings];
    this.#streams = new StreamTable({
      output,
      bodies,
      onReleased: () => this.#released(),
      firstId: firstStreamId,
    });
    const handler = new ServerFrames({
      ...{ streams: this.#streams, output, bodies, settings, clock },
      onSettings: () => owner.changed(),
      onGoaway: (error) => {
        this.#error ??= error;
        this.retire();
      },
    });
    this.#reader = new FrameReader(handler);
    this.#liveness = new Liveness(this, clock);
    this.#output.write(firstFrames);
    received.readBy((bytes) => this.#read(bytes));
    socket.on('end', () => socket.destroy());
    socket.on('error', (error) => (this.#error ??= error));
    socket.on('close', () => this.#end());
  }

  /** The number of calls in progress. */
  get streams(): number {
    return this.#streams.size;
  }

  /** Whether the settings of the server have arrived, which limit the number of calls. */
  get isReady(): boolean {
    return this.#settings.isKnown;
  }

  /** Whether the server permits no calls for a short time (RFC 9113, 6.5.2); it would not permit more on another connection. */
  get isPaused(): boolean {
    return this.#settings.maxConcurrentStreams === 0;
  }

  /** Whether the connection accepts no more calls. */
  get isRetired(): boolean {
    return this.#isRetired || this.#isClosed || this.#streams.isExhausted || this.#socket.destroyed;
  }

  /** How many more calls the connection can have now. */
  get room(): number {
    const room = Math.min(maxStreams, this.#settings.maxConcurrentStreams) - this.#streams.size;
    return room > 0 && !this.isRetired ? room : 0;
  }

  /** Sends a call that has not ended. @throws TypedError `Invalid` for a header that cannot be sent */
  send(exchange: Exchange): void {
    const { call } = exchange;
    const block = (this.#hasSent ? '' : noTable) + encodeRequest(call);
    const body = call.body === undefined || call.body === '' ? undefined : Buffer.from(call.body);
    this.#hasSent = true;
    const stream = this.#streams.open(exchange, this.#settings.initialWindow, this);
    exchange.attach(stream);
    this.#output.write(headersFrames(stream.id, block, body === undefined, this.#settings.maxFrameBytes));
    if (body !== undefined) this.#bodies.send(stream, body);
    this.#liveness.used();
  }

  /** Ends a call that has failed for its caller. */
  cancel(stream: Http2Stream, error: Error): void {
    if (!this.#streams.has(stream)) return;
    /* A connection without an answer may be half open, so no other call uses it. */
    if (isTyped(error) && error.reason === 'Timeout') this.#isRetired = true;
    this.#streams.cancel(stream);
  }

  /** Accepts no more calls, and closes the connection when the last one has ended. */
  retire(): void {
    this.#isRetired = true;
    if (this.#streams.size === 0) this.close();
  }

  /** Closes the connection; calls in progress fail. */
  close(): void {
    this.#close(undefined);
  }

  ping(): void {
    this.#output.write(pingFrame(pingContent, false));
  }

  /** Closes the connection because the server does not answer a PING. */
  die(): void {
    this.#error ??= Object.assign(new Error('the server does not answer a PING'), {
      code: 'HTTP2_PING_TIMEOUT',
    });
    this.#socket.destroy();
    this.#end();
  }

  /** Closes the connection because there was no call for a while. */
  expire(): void {
    this.retire();
  }

  #read(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#liveness.heard();
    try {
      this.#reader.write(bytes);
    } catch (error) {
      this.#close(
        error instanceof Http2Error ? error : new Http2Error('INTERNAL_ERROR', 'a frame was not handled'),
      );
    }
  }

  #released(): void {
    if (this.#isClosed) return;
    this.#liveness.used();
    if (this.#isRetired && this.#streams.size === 0) this.close();
    else this.#owner.changed();
  }

  /** Sends GOAWAY, and closes the connection. @param error undefined when there is none */
  #close(error: Http2Error | undefined): void {
    if (this.#isClosed) return;
    this.#error ??= error;
    this.#output.end(goawayFrame(error?.errorCode ?? errorCodes.NO_ERROR));
    /* The server may not read what is sent. */
    setTimeout(() => this.#socket.destroy(), closeTimeoutMs).unref();
    this.#end();
  }

  /** Ends all calls. A request that was not passed to the connection cannot have reached the server. */
  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#liveness.stop();
    for (const stream of this.#streams.all()) {
      if (stream.id >= this.#unsentId) this.#streams.refuse(stream, this.#error);
      else this.#streams.lose(stream, this.#error);
    }
    this.#owner.closed(this, this.#error);
  }
}
