import type { ConnectedSocket } from '../connector.js';
import { Http2Error } from './http2-error.js';

/** Maximum number of acknowledgements that the server has not read, so that a server cannot exhaust the memory of this client. */
const maxReplies = 1_000;
/**
 * The most that is written at once: about a record of TLS. For each connection, Node.js keeps buffers for the most that it has ever
 * encrypted at once, which would be the requests of all polls that start together.
 */
const maxWriteBytes = 16_000;

/**
 * Collects the frames of a turn of the event loop, and the frames that come before the last write has ended, and writes them at
 * once.
 */
export class FrameOutput {
  readonly #socket: ConnectedSocket;
  readonly #onWrite: () => void;
  /** Bytes as a `latin1` string: unlike Buffers, strings leave no gaps in memory outside of the heap. */
  #pending = '';
  #replies = 0;
  #isScheduled = false;
  #isWriting = false;

  /** @param onWrite called when frames are passed to the connection, so that the server may receive all frames so far */
  constructor(socket: ConnectedSocket, onWrite: () => void) {
    this.#socket = socket;
    this.#onWrite = onWrite;
  }

  /** @param frame bytes, or bytes as a `latin1` string */
  write(frame: Buffer | string): void {
    this.#pending += typeof frame === 'string' ? frame : frame.toString('latin1');
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(flushOutput, this);
  }

  /** Writes the answer to a frame. @throws Http2Error when the server does not read the earlier answers */
  reply(frame: Buffer): void {
    this.#replies += 1;
    if (this.#replies > maxReplies)
      throw new Http2Error('ENHANCE_YOUR_CALM', 'the server does not read the answers to its frames');
    this.write(frame);
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#isWriting || this.#pending === '' || !this.#socket.writable) return;
    const bytes = this.#pending.slice(0, maxWriteBytes);
    this.#pending = this.#pending.slice(maxWriteBytes);
    if (this.#pending === '') this.#replies = 0;
    this.#isWriting = true;
    this.#onWrite();
    this.#socket.write(bytes, 'latin1', this.#onWritten);
  }

  /** Writes the last frame, and closes the connection when it is sent. */
  end(frame: Buffer): void {
    if (!this.#socket.writable) return;
    this.#onWrite();
    this.#socket.end(this.#pending + frame.toString('latin1'), 'latin1');
    this.#pending = '';
    this.#socket.destroySoon();
  }

  /** One function for all writes of a connection. */
  readonly #onWritten = (): void => {
    this.#isWriting = false;
    this.flush();
  };
}

function flushOutput(output: FrameOutput): void {
  output.flush();
}
