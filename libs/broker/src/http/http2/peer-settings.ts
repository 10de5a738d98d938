import { defaultFrameBytes, max31Bits } from './frames.js';
import { Http2Error } from './http2-error.js';

/** Identifiers of settings (RFC 9113, 6.5.2). */
export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

export const defaultWindow = 65_535;
const maxFrameSize = 2 ** 24 - 1;
/** The server may refuse more streams until its settings arrive, a round trip later. */
const assumedStreams = 1;

/**
 * The settings of a server. The size of its header table is of no interest, because this client puts nothing into it. The maximum of
 * its header list is advisory: a server answers a larger one with 431.
 */
export class PeerSettings {
  maxConcurrentStreams = assumedStreams;
  initialWindow = defaultWindow;
  maxFrameBytes = defaultFrameBytes;
  #isKnown = false;

  /** Whether the first settings have arrived. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Applies the payload of a SETTINGS frame. @throws Http2Error for a value that is not permitted */
  apply(payload: Buffer): void {
    if (!this.#isKnown) this.maxConcurrentStreams = Infinity;
    this.#isKnown = true;
    for (let at = 0; at < payload.length; at += 6) {
      this.#set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
  }

  #set(id: number, value: number): void {
    switch (id) {
      case settingIds.enablePush:
        if (value !== 0) throw new Http2Error('PROTOCOL_ERROR', `the server sets ENABLE_PUSH to ${value}`);
        break;
      case settingIds.maxConcurrentStreams:
        this.maxConcurrentStreams = value;
        break;
      case settingIds.initialWindowSize:
        if (value > max31Bits)
          throw new Http2Error('FLOW_CONTROL_ERROR', `the server sets INITIAL_WINDOW_SIZE to ${value}`);
        this.initialWindow = value;
        break;
      case settingIds.maxFrameSize:
        if (value < defaultFrameBytes || value > maxFrameSize)
          throw new Http2Error('PROTOCOL_ERROR', `the server sets MAX_FRAME_SIZE to ${value}`);
        this.maxFrameBytes = value;
        break;
    }
  }
}
