const newline = 0x0a;

/** Splits a byte stream into lines, whatever the chunks are; multi-byte characters may span chunks. */
export class LineDecoder {
  readonly #maxBytes: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  /**
   * Creates a decoder.
   *
   * @param maxBytes limit above which `push` throws
   */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that `chunk` completes, without their newline. Empty lines are omitted. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      const line = this.#take();
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > this.#maxBytes)
      throw new RangeError(`a line has more than ${this.#maxBytes} bytes`);
    this.#pending.push(part);
  }

  #take(): string {
    const [only] = this.#pending;
    const bytes = this.#pending.length === 1 && only !== undefined ? only : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }
}
