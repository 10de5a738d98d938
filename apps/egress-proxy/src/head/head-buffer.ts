const terminator = Buffer.from('\r\n\r\n');
const firstSize = 512;
const nothing = Buffer.alloc(0);

/** Bytes after a complete head: the first bytes for the target. */
export interface CompleteHead {
  readonly head: string;
  readonly early: Buffer;
}

/** Collects the head of a request up to a maximum size. Each byte is scanned once, however small the chunks are. */
export class HeadBuffer {
  readonly #limit: number;
  #bytes = nothing;
  #length = 0;

  /** @param limit maximum bytes, including the empty line at the end */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether no byte has been added yet. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Adds bytes. Returns the head when it is complete, or `too-large` when it exceeds the limit. */
  push(chunk: Buffer): CompleteHead | 'incomplete' | 'too-large' {
    if (this.#length === 0) {
      /* Nearly every head arrives in one chunk, which needs no copy. */
      const end = chunk.indexOf(terminator);
      if (end >= 0) return this.#complete(chunk, end);
    }
    const room = this.#limit - this.#length;
    const taken = chunk.subarray(0, room);
    const from = Math.max(0, this.#length - terminator.length + 1);
    this.#append(taken);
    const end = this.#bytes.subarray(0, this.#length).indexOf(terminator, from);
    if (end < 0) return this.#length === this.#limit ? 'too-large' : 'incomplete';
    const rest = chunk.subarray(taken.length);
    const all = this.#bytes.subarray(0, this.#length);
    return this.#complete(rest.length === 0 ? all : Buffer.concat([all, rest]), end);
  }

  #complete(bytes: Buffer, end: number): CompleteHead | 'too-large' {
    const next = end + terminator.length;
    if (next > this.#limit) return 'too-large';
    /* The connection reuses its buffer for the next read, so the bytes are copied. */
    const early = next === bytes.length ? nothing : Buffer.from(bytes.subarray(next));
    return { head: bytes.toString('latin1', 0, end), early };
  }

  #append(chunk: Buffer): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(this.#limit, Math.max(firstSize, needed, this.#bytes.length * 2)),
      );
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = needed;
  }
}
