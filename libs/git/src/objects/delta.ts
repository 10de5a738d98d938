/** Thrown when a pack is malformed. */
export class PackError extends Error {}

const literalSize = 0x7f;
/* The size of a copy instruction without a size. */
const defaultCopySize = 0x10000;

/**
 * Returns the result of a delta on `base` (gitformat-pack(5), "Deltified representation").
 * @param maxBytes bound of the result, checked before it is allocated.
 * @throws PackError
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const reader = new DeltaReader(delta);
  if (reader.size() !== base.length) throw new PackError('a delta is meant for a base of a different size');
  const size = reader.size();
  if (size > maxBytes) throw new PackError(`a delta produces more than ${maxBytes} bytes`);
  const target = Buffer.alloc(size);
  let at = 0;
  const add = (source: Buffer, start: number, length: number): void => {
    if (start + length > source.length || at + length > size)
      throw new PackError('a delta goes beyond its base or its result');
    source.copy(target, at, start, start + length);
    at += length;
  };
  while (!reader.isAtEnd) {
    const instruction = reader.byte();
    if ((instruction & 0x80) !== 0) {
      const start = reader.number(instruction, 4);
      add(base, start, reader.number(instruction >> 4, 3) || defaultCopySize);
    } else if (instruction === 0) {
      throw new PackError('a delta has an unknown instruction');
    } else {
      const length = instruction & literalSize;
      add(delta, reader.skip(length), length);
    }
  }
  if (at !== size) throw new PackError('a delta produces less than its header states');
  return target;
}

class DeltaReader {
  #at = 0;

  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new PackError('a delta is cut off');
    this.#at += 1;
    return byte;
  }

  /** Reads a size: seven bits of each byte, the lowest first. */
  size(): number {
    let size = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      size += (byte & 0x7f) * factor;
      if (size > Number.MAX_SAFE_INTEGER) throw new PackError('a delta has a size out of range');
      if ((byte & 0x80) === 0) return size;
    }
  }

  /** Reads those bytes of a number that the lowest bits of `present` mark, the lowest first; the others are 0. */
  number(present: number, bytes: number): number {
    let value = 0;
    for (let index = 0; index < bytes; index++) {
      if (((present >> index) & 1) !== 0) value += this.byte() * 0x100 ** index;
    }
    return value;
  }

  /** Skips literal bytes. Returns their offset. */
  skip(length: number): number {
    const start = this.#at;
    this.#at += length;
    return start;
  }
}
