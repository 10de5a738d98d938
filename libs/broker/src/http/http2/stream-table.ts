import type { Exchange } from '../exchange.js';
import type { BodySender } from './body-sender.js';
import type { FrameOutput } from './frame-output.js';
import { max31Bits, rstStreamFrame } from './frames.js';
import { errorCodes, Http2Error, type ErrorCodeName } from './http2-error.js';
import { Http2Stream, type StreamOwner } from './http2-stream.js';

/** Twice the number of streams that one connection can have. */
const maxAbandoned = 500;

interface StreamTableOptions {
  output: FrameOutput;
  bodies: BodySender;
  /** Called when a stream has ended. */
  onReleased: () => void;
  firstId: number;
}

/** The streams of one connection (RFC 9113, 5.1): each is here from its request until either side ends it. */
export class StreamTable {
  readonly #output: FrameOutput;
  readonly #bodies: BodySender;
  readonly #onReleased: () => void;
  readonly #streams = new Map<number, Http2Stream>();
  /** The latest streams that this client has ended, which the server may not know yet. */
  readonly #abandoned = new Set<number>();
  #nextId: number;

  constructor({ output, bodies, onReleased, firstId }: StreamTableOptions) {
    this.#output = output;
    this.#bodies = bodies;
    this.#onReleased = onReleased;
    this.#nextId = firstId;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Whether all ids have been used, so that the connection can have no more calls. */
  get isExhausted(): boolean {
    return this.#nextId > max31Bits;
  }

  /** The id of the next stream. */
  get nextId(): number {
    return this.#nextId;
  }

  all(): Http2Stream[] {
    return [...this.#streams.values()];
  }

  has(stream: Http2Stream): boolean {
    return this.#streams.has(stream.id);
  }

  /** Opens a stream for a call; the caller sends its request. */
  open(exchange: Exchange, sendWindow: number, owner: StreamOwner): Http2Stream {
    const stream = new Http2Stream(this.#nextId, exchange, sendWindow, owner);
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    return stream;
  }

  /** Returns a stream; undefined when it has ended. @throws Http2Error when it was never open */
  find(id: number): Http2Stream | undefined {
    const stream = this.#streams.get(id);
    if (stream === undefined && id >= this.#nextId)
      throw new Http2Error('PROTOCOL_ERROR', 'a frame is for a stream that was never open');
    return stream;
  }

  /** Returns a stream that may receive; undefined when this client has ended it. @throws Http2Error when the server has ended it */
  receiving(id: number): Http2Stream | undefined {
    const stream = this.find(id);
    if (stream === undefined && !this.#abandoned.has(id))
      throw new Http2Error('STREAM_CLOSED', 'a frame is for a stream that the server has ended');
    return stream;
  }

  /** Ends a stream whose answer is complete. The rest of its request is no longer sent (RFC 9113, 8.1). */
  finish(stream: Http2Stream): void {
    if (this.#bodies.isSending(stream)) this.#reset(stream.id, 'CANCEL');
    this.#remove(stream);
    stream.exchange.end();
    this.#onReleased();
  }

  /** Ends a stream whose call was withdrawn. */
  cancel(stream: Http2Stream): void {
    this.#reset(stream.id, 'CANCEL');
    this.#remove(stream);
    this.#onReleased();
  }

  /** Ends a stream because of an error of the server (RFC 9113, 5.4.2). */
  fail(stream: Http2Stream, reason: ErrorCodeName, message: string): void {
    this.#reset(stream.id, reason);
    this.lose(stream, new Http2Error(reason, message));
  }

  /** Ends a stream without its answer. */
  lose(stream: Http2Stream, error: unknown): void {
    this.#remove(stream);
    stream.exchange.lost(error);
    this.#onReleased();
  }

  /** Ends a stream whose request was certainly not processed, so that the call can be repeated. */
  refuse(stream: Http2Stream, error: unknown): void {
    this.#abandon(stream.id);
    this.#remove(stream);
    stream.exchange.fail(stream.exchange.connectFailure(error));
    this.#onReleased();
  }

  #remove(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    this.#bodies.drop(stream);
  }

  #reset(id: number, reason: ErrorCodeName): void {
    this.#abandon(id);
    this.#output.write(rstStreamFrame(id, errorCodes[reason]));
  }

  #abandon(id: number): void {
    if (this.#abandoned.size === maxAbandoned) {
      const [oldest] = this.#abandoned;
      if (oldest !== undefined) this.#abandoned.delete(oldest);
    }
    this.#abandoned.add(id);
  }
}
