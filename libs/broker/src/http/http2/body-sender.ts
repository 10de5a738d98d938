import type { FrameOutput } from './frame-output.js';
import { dataFrame, max31Bits } from './frames.js';
import { Http2Error } from './http2-error.js';
import type { Http2Stream } from './http2-stream.js';
import { defaultWindow, type PeerSettings } from './peer-settings.js';

/** Sends the bodies of requests as far as the server permits (RFC 9113, 5.2). */
export class BodySender {
  readonly #output: FrameOutput;
  readonly #settings: PeerSettings;
  /** The part of each body that has not been sent yet. */
  readonly #waiting = new Map<Http2Stream, Buffer>();
  #window = defaultWindow;

  constructor(output: FrameOutput, settings: PeerSettings) {
    this.#output = output;
    this.#settings = settings;
  }

  send(stream: Http2Stream, body: Buffer): void {
    this.#waiting.set(stream, body);
    this.#advance(stream, body);
  }

  isSending(stream: Http2Stream): boolean {
    /* Most calls have no body. */
    return this.#waiting.size > 0 && this.#waiting.has(stream);
  }

  /** Forgets the body of a call that has ended. */
  drop(stream: Http2Stream): void {
    if (this.#waiting.size > 0) this.#waiting.delete(stream);
  }

  /** Handles WINDOW_UPDATE for the connection. @throws Http2Error when the window would be too large */
  grant(increment: number): void {
    this.#window += increment;
    if (this.#window > max31Bits) throw tooLarge();
    for (const [stream, body] of this.#waiting) this.#advance(stream, body);
  }

  /** Handles WINDOW_UPDATE for a stream. Returns false when its window would be too large, which is an error of the stream. */
  grantStream(stream: Http2Stream, increment: number): boolean {
    stream.sendWindow += increment;
    if (stream.sendWindow > max31Bits) return false;
    const body = this.#waiting.get(stream);
    if (body !== undefined) this.#advance(stream, body);
    return true;
  }

  /**
   * Handles a change of the initial window, which may leave windows negative. @throws Http2Error when a window would be too large
   */
  resize(streams: Iterable<Http2Stream>, difference: number): void {
    if (difference === 0) return;
    for (const stream of streams) {
      if (!this.grantStream(stream, difference)) throw tooLarge();
    }
  }

  #advance(stream: Http2Stream, body: Buffer): void {
    let at = 0;
    while (at < body.length) {
      const room = Math.min(this.#window, stream.sendWindow, this.#settings.maxFrameBytes);
      if (room <= 0) break;
      const part = body.subarray(at, at + room);
      at += part.length;
      this.#window -= part.length;
      stream.sendWindow -= part.length;
      this.#output.write(dataFrame(stream.id, part, at === body.length));
    }
    if (at === body.length) this.#waiting.delete(stream);
    else if (at > 0) this.#waiting.set(stream, body.subarray(at));
  }
}

function tooLarge(): Http2Error {
  return new Http2Error(
    'FLOW_CONTROL_ERROR',
    'the server increases a flow-control window beyond its maximum',
  );
}
