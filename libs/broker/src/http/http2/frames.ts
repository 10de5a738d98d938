import { Http2Error } from './http2-error.js';

/** Frame types (RFC 9113, 6). */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const headerBytes = 9;
/** The default of SETTINGS_MAX_FRAME_SIZE, and the size of the largest frame that this client receives. */
export const defaultFrameBytes = 16_384;
/** The maximum of a stream id, of a window and of its increment. */
export const max31Bits = 0x7fff_ffff;
const priorityBytes = 5;
const noBytes = Buffer.alloc(0);

/** Returns a frame without its payload, and with room for it. */
function emptyFrame(type: number, flagBits: number, streamId: number, payloadBytes: number): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payloadBytes);
  frame.writeUIntBE(payloadBytes, 0, 3);
  frame[3] = type;
  frame[4] = flagBits;
  frame.writeUInt32BE(streamId, 5);
  return frame;
}

/** Returns a frame of any type. */
export function frameOf(type: number, flagBits: number, streamId: number, payload: Uint8Array): Buffer {
  const frame = emptyFrame(type, flagBits, streamId, payload.length);
  frame.set(payload, headerBytes);
  return frame;
}

/**
 * Returns the frames of a header block: HEADERS, and CONTINUATION when it is larger than one frame.
 *
 * @param block bytes as a `latin1` string, as the frames are
 */
export function headersFrames(
  streamId: number,
  block: string,
  endStream: boolean,
  maxFrameBytes: number,
): string {
  const end = endStream ? flags.endStream : 0;
  if (block.length <= maxFrameBytes)
    return frameHeader(frameTypes.headers, end | flags.endHeaders, streamId, block.length) + block;
  let frames = '';
  for (let at = 0; at < block.length; at += maxFrameBytes) {
    const part = block.slice(at, at + maxFrameBytes);
    const isLast = at + maxFrameBytes >= block.length;
    const type = at === 0 ? frameTypes.headers : frameTypes.continuation;
    const flagBits = (at === 0 ? end : 0) | (isLast ? flags.endHeaders : 0);
    frames += frameHeader(type, flagBits, streamId, part.length) + part;
  }
  return frames;
}

/** Returns the header of a frame as a `latin1` string. */
function frameHeader(type: number, flagBits: number, streamId: number, length: number): string {
  return String.fromCharCode(
    ...[length >> 16, (length >> 8) & 0xff, length & 0xff, type, flagBits],
    ...[streamId >> 24, (streamId >> 16) & 0xff, (streamId >> 8) & 0xff, streamId & 0xff],
  );
}

export function dataFrame(streamId: number, part: Uint8Array, endStream: boolean): Buffer {
  return frameOf(frameTypes.data, endStream ? flags.endStream : 0, streamId, part);
}

/** @param settings identifiers and values (RFC 9113, 6.5.2) */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const frame = emptyFrame(frameTypes.settings, 0, 0, settings.length * 6);
  for (const [index, [id, value]] of settings.entries()) {
    frame.writeUInt16BE(id, headerBytes + index * 6);
    frame.writeUInt32BE(value, headerBytes + index * 6 + 2);
  }
  return frame;
}

export function settingsAckFrame(): Buffer {
  return emptyFrame(frameTypes.settings, flags.ack, 0, 0);
}

/** @param opaque eight bytes */
export function pingFrame(opaque: Uint8Array, isAck: boolean): Buffer {
  return frameOf(frameTypes.ping, isAck ? flags.ack : 0, 0, opaque);
}

export function rstStreamFrame(streamId: number, errorCode: number): Buffer {
  const frame = emptyFrame(frameTypes.rstStream, 0, streamId, 4);
  frame.writeUInt32BE(errorCode, headerBytes);
  return frame;
}

/** Returns a GOAWAY frame. The server opens no streams, so the last stream of the server that was processed is 0. */
export function goawayFrame(errorCode: number): Buffer {
  const frame = emptyFrame(frameTypes.goaway, 0, 0, 8);
  frame.writeUInt32BE(0, headerBytes);
  frame.writeUInt32BE(errorCode, headerBytes + 4);
  return frame;
}

/** @param streamId 0 for the connection */
export function windowUpdateFrame(streamId: number, increment: number): Buffer {
  const frame = emptyFrame(frameTypes.windowUpdate, 0, streamId, 4);
  frame.writeUInt32BE(increment, headerBytes);
  return frame;
}

/** Returns the content of a DATA or HEADERS frame without its padding and priority. @throws Http2Error when it is too short */
export function contentOf(type: number, flagBits: number, payload: Buffer): Buffer {
  const isPadded = (flagBits & flags.padded) !== 0;
  const hasPriority = type === frameTypes.headers && (flagBits & flags.priority) !== 0;
  if (!isPadded && !hasPriority) return payload;
  const start = (isPadded ? 1 : 0) + (hasPriority ? priorityBytes : 0);
  if (payload.length < start) throw new Http2Error('FRAME_SIZE_ERROR', 'a frame is shorter than its fields');
  const end = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
  if (end < start) throw new Http2Error('PROTOCOL_ERROR', 'the padding is longer than the frame');
  return start === end ? noBytes : payload.subarray(start, end);
}
