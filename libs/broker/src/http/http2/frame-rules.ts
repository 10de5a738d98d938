import { flags, frameTypes } from './frames.js';
import { Http2Error, type ErrorCodeName } from './http2-error.js';

interface FrameRule {
  name: string;
  /** Whether the frame belongs to a stream, to the connection, or to either. */
  scope: 'stream' | 'connection' | 'any';
  hasSize(length: number, flagBits: number): boolean;
}

const anySize = (): boolean => true;
const exactly =
  (size: number) =>
  (length: number): boolean =>
    length === size;

/** The rules for the header of each frame (RFC 9113, 6). PRIORITY of any size is accepted, because this client ignores it. */
const rules: Readonly<Record<number, FrameRule>> = {
  [frameTypes.data]: { name: 'DATA', scope: 'stream', hasSize: anySize },
  [frameTypes.headers]: { name: 'HEADERS', scope: 'stream', hasSize: anySize },
  [frameTypes.priority]: { name: 'PRIORITY', scope: 'stream', hasSize: anySize },
  [frameTypes.rstStream]: { name: 'RST_STREAM', scope: 'stream', hasSize: exactly(4) },
  [frameTypes.settings]: {
    name: 'SETTINGS',
    scope: 'connection',
    hasSize: (length, flagBits) => ((flagBits & flags.ack) === 0 ? length % 6 === 0 : length === 0),
  },
  [frameTypes.ping]: { name: 'PING', scope: 'connection', hasSize: exactly(8) },
  [frameTypes.goaway]: { name: 'GOAWAY', scope: 'connection', hasSize: (length) => length >= 8 },
  [frameTypes.windowUpdate]: { name: 'WINDOW_UPDATE', scope: 'any', hasSize: exactly(4) },
  [frameTypes.continuation]: { name: 'CONTINUATION', scope: 'stream', hasSize: anySize },
};

/**
 * Checks the header of a frame from the server. A frame of an unknown type is permitted, and ignored later.
 *
 * @throws Http2Error that ends the connection
 */
export function checkFrameHeader(type: number, flagBits: number, streamId: number, length: number): void {
  if (type === frameTypes.pushPromise)
    refuse('PROTOCOL_ERROR', 'a stream is pushed although server push is disabled');
  const rule = rules[type];
  if (rule === undefined) return;
  const isOfConnection = streamId === 0;
  if (rule.scope !== 'any' && (rule.scope === 'connection') !== isOfConnection)
    refuse('PROTOCOL_ERROR', `a ${rule.name} frame must not be on stream ${streamId}`);
  /* This client uses odd streams, and the server opens none. */
  if (!isOfConnection && streamId % 2 === 0)
    refuse('PROTOCOL_ERROR', `a ${rule.name} frame is for a stream of the server`);
  if (!rule.hasSize(length, flagBits))
    refuse('FRAME_SIZE_ERROR', `a ${rule.name} frame must not have ${length} bytes`);
}

function refuse(reason: ErrorCodeName, message: string): never {
  throw new Http2Error(reason, message);
}
