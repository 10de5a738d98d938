import { Http2Error } from './http2-error.js';

/** A server that restarts may reset all streams at once. */
const burst = 1_000;
/** The frames that an answered call permits: the windows of its stream and of the connection are updated with its body. */
const perAnswer = 4;
/** A server that works sends a few of these frames per second at most. */
const perMs = 50 / 1_000;

/**
 * Limits the frames that do not advance a call: PING, SETTINGS, WINDOW_UPDATE, RST_STREAM, empty and unknown frames,
 * interim heads, and what arrives for calls that have been cancelled. Each of them costs time or an answer, so their
 * number is limited.
 */
export class FloodGuard {
  #level = 0;
  #at = 0;

  /** Records that a call was answered. */
  answered(): void {
    this.#level = Math.max(0, this.#level - perAnswer);
  }

  /** @param nowMs milliseconds of a clock that only runs forward. @throws Http2Error when there are too many frames */
  count(nowMs: number): void {
    this.#level = Math.max(0, this.#level - (nowMs - this.#at) * perMs) + 1;
    this.#at = nowMs;
    if (this.#level > burst)
      throw new Http2Error(
        'ENHANCE_YOUR_CALM',
        'the server sends too many frames that do not advance a call',
      );
  }
}
