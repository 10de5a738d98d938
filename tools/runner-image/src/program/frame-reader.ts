import type { Readable } from 'node:stream';

/** A frame as the runner reads it. */
interface Frame {
  type: number;
  body: string;
}

const headerBytes = 8;
const maxBodyBytes = 50_000_000;
const longestType = 4;

/**
 * Reads frames from a pipe: type and byte length as 32-bit little-endian integers, then the body as UTF-16LE without a byte order
 * mark. Fails on bytes that are not a frame, and when the pipe ends within a frame. The end of the pipe between two
 * frames is not reported to a runner.
 */
export class FrameReader {
  #held: Buffer[] = [];
  #bytes = 0;
  #ended: 'open' | 'ended' = 'open';
  #changed: () => void = () => undefined;

  constructor(input: Readable) {
    input.on('data', (chunk: Buffer) => {
      this.#held.push(chunk);
      this.#bytes += chunk.length;
      this.#changed();
    });
    const end = (): void => {
      this.#ended = 'ended';
      this.#changed();
    };
    input.on('end', end).on('error', end);
  }

  /**
   * Returns the next frame; undefined when `signal` aborts first.
   *
   * @throws Error when the bytes are not a frame
   */
  async next(signal: AbortSignal): Promise<Frame | undefined> {
    const header = await this.#take(headerBytes, signal);
    if (header === undefined) return undefined;
    const type = header.readInt32LE(0);
    const length = header.readInt32LE(4);
    if (type < 1 || type > longestType) throw new Error(`a frame has the unknown type ${type}`);
    if (length < 0 || length > maxBodyBytes || length % 2 !== 0)
      throw new Error(`a frame has the length ${length}`);
    const body = await this.#take(length, signal);
    if (body === undefined) return undefined;
    if (body[0] === 0xff && body[1] === 0xfe) throw new Error('a frame begins with a byte order mark');
    return { type, body: new TextDecoder('utf-16le', { fatal: true }).decode(body) };
  }

  async #take(count: number, signal: AbortSignal): Promise<Buffer | undefined> {
    while (this.#bytes < count) {
      if (signal.aborted) return undefined;
      if (this.#ended === 'ended' && this.#bytes > 0) throw new Error('the pipe ended inside of a frame');
      await this.#change(signal);
    }
    const all = Buffer.concat(this.#held);
    this.#held = [all.subarray(count)];
    this.#bytes = all.length - count;
    return all.subarray(0, count);
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        signal.removeEventListener('abort', settle);
        resolve();
      };
      this.#changed = settle;
      signal.addEventListener('abort', settle);
    });
  }
}
