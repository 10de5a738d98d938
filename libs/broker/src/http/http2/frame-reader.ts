import { checkFrameHeader } from './frame-rules.js';
import { defaultFrameBytes, headerBytes, max31Bits } from './frames.js';
import { Http2Error } from './http2-error.js';

export interface FrameHandler {
  /** @param payload valid during the call: a part of what was read from the connection */
  frame(type: number, flagBits: number, streamId: number, payload: Buffer): void;
}

const noBytes = Buffer.alloc(0);

/** Splits the bytes of a connection into frames (RFC 9113, 4.1). Holds at most one frame, and nothing between two frames. */
export class FrameReader {
  readonly #handler: FrameHandler;
  readonly #maxFrameBytes: number;
  /** The frame that has arrived in part: its header, or header and payload once its length is known. */
  #partial: Buffer = noBytes;
  #filled = 0;

  constructor(handler: FrameHandler, maxFrameBytes = defaultFrameBytes) {
    this.#handler = handler;
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Reads bytes, and passes on each frame that is complete. @throws Http2Error that ends the connection */
  write(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      const isWhole =
        this.#filled === 0 &&
        bytes.length - at >= headerBytes &&
        bytes.length - at - headerBytes >= this.#lengthAt(bytes, at);
      at = isWhole ? this.#pass(bytes, at) : this.#collect(bytes, at);
    }
  }

  /** Copies bytes of the frame that is incomplete. Returns where the next bytes begin. */
  #collect(bytes: Buffer, at: number): number {
    if (this.#filled === 0) this.#partial = Buffer.allocUnsafeSlow(headerBytes);
    const copied = bytes.copy(this.#partial, this.#filled, at);
    this.#filled += copied;
    if (this.#filled === headerBytes && this.#partial.length === headerBytes) {
      const whole = Buffer.allocUnsafeSlow(headerBytes + this.#lengthAt(this.#partial, 0));
      whole.set(this.#partial);
      this.#partial = whole;
    }
    if (this.#filled === this.#partial.length && this.#filled >= headerBytes) {
      const frame = this.#partial;
      this.#partial = noBytes;
      this.#filled = 0;
      this.#pass(frame, 0);
    }
    return at + copied;
  }

  /** Returns the length of the payload. @throws Http2Error when the header is invalid, before its payload is kept */
  #lengthAt(bytes: Buffer, at: number): number {
    const length = bytes.readUIntBE(at, 3);
    if (length > this.#maxFrameBytes)
      throw new Http2Error(
        'FRAME_SIZE_ERROR',
        `a frame has ${length} bytes, more than ${this.#maxFrameBytes}`,
      );
    checkFrameHeader(bytes.readUInt8(at + 3), bytes.readUInt8(at + 4), streamIdAt(bytes, at), length);
    return length;
  }

  #pass(bytes: Buffer, at: number): number {
    const start = at + headerBytes;
    const end = start + bytes.readUIntBE(at, 3);
    const payload = start === end ? noBytes : bytes.subarray(start, end);
    this.#handler.frame(bytes.readUInt8(at + 3), bytes.readUInt8(at + 4), streamIdAt(bytes, at), payload);
    return end;
  }
}

function streamIdAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at + 5) & max31Bits;
}
