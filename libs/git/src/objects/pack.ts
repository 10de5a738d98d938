import { createHash } from 'node:crypto';
import { createInflate } from 'node:zlib';
import { applyDelta, PackError } from './delta.js';

const signature = 'PACK';
const headerBytes = 12;
const version = 2;
const hashBytes = 20;
/* Types of entries (gitformat-pack(5)). */
const blobType = 3;
const refDeltaType = 7;

/** The remaining bytes of a budget. */
interface Budget {
  bytes: number;
}

/** A delta whose base is another object of the pack. */
interface Delta {
  base: string;
  instructions: Buffer;
}

/**
 * Returns the blobs of a pack that contains exactly these (gitformat-pack(5), "pack-*.pack files"). Each of them has the
 * requested id, which proves its content, so the pack need not be trusted.
 * @param maxBytes bound of all contents and deltas together when they are inflated.
 * @throws PackError for any other pack.
 */
export async function readBlobs(
  pack: Buffer,
  ids: ReadonlySet<string>,
  maxBytes: number,
): Promise<Map<string, Buffer>> {
  const end = pack.length - hashBytes;
  if (end < headerBytes || pack.toString('latin1', 0, 4) !== signature || pack.readUInt32BE(4) !== version)
    throw new PackError('it is not a pack of version 2');
  const body = pack.subarray(0, end);
  if (!createHash('sha1').update(body).digest().equals(pack.subarray(end)))
    throw new PackError('the checksum of the pack is wrong');
  const count = pack.readUInt32BE(8);
  if (count !== ids.size) throw new PackError(`the pack has ${count} objects, not ${ids.size}`);
  const budget = { bytes: maxBytes };
  const reader = new EntryReader(body, budget);
  const blobs = new Map<string, Buffer>();
  const deltas: Delta[] = [];
  for (let index = 0; index < count; index++) {
    const entry = await reader.next();
    if (Buffer.isBuffer(entry)) keep(blobs, ids, entry);
    else deltas.push(entry);
  }
  if (!reader.isAtEnd) throw new PackError('the pack continues after its last object');
  resolve(blobs, ids, deltas, budget);
  return blobs;
}

/** Applies deltas, each after its base. */
function resolve(
  blobs: Map<string, Buffer>,
  ids: ReadonlySet<string>,
  deltas: readonly Delta[],
  budget: Budget,
): void {
  for (let left = deltas; left.length > 0;) {
    const waiting = left.filter(({ base, instructions }) => {
      const content = blobs.get(base);
      if (content === undefined) return true;
      const made = applyDelta(content, instructions, budget.bytes);
      budget.bytes -= made.length;
      keep(blobs, ids, made);
      return false;
    });
    if (waiting.length === left.length) throw new PackError('the base of a delta is not in the pack');
    left = waiting;
  }
}

function keep(blobs: Map<string, Buffer>, ids: ReadonlySet<string>, content: Buffer): void {
  const id = blobId(content);
  if (!ids.has(id)) throw new PackError(`the pack has an object that was not requested, ${id}`);
  if (blobs.has(id)) throw new PackError(`the pack has the object ${id} twice`);
  blobs.set(id, content);
}

function blobId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Reads the entries of a pack one after another. */
class EntryReader {
  #at = headerBytes;

  readonly #bytes: Buffer;
  readonly #budget: Budget;

  constructor(bytes: Buffer, budget: Budget) {
    this.#bytes = bytes;
    this.#budget = budget;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  async next(): Promise<Buffer | Delta> {
    const { type, size } = this.#head();
    if (type === blobType) return this.#inflate(size);
    if (type !== refDeltaType) throw new PackError(`the pack has an entry of type ${type}`);
    const base = this.#bytes.toString('hex', this.#at, this.#at + hashBytes);
    this.#at += hashBytes;
    return { base, instructions: await this.#inflate(size) };
  }

  /** Reads the type (three bits) and the size: four bits, then seven of each further byte, the lowest first. */
  #head(): { type: number; size: number } {
    let byte = this.#byte();
    const type = (byte >> 4) & 7;
    let size = byte & 0xf;
    for (let factor = 0x10; (byte & 0x80) !== 0; factor *= 0x80) {
      byte = this.#byte();
      size += (byte & 0x7f) * factor;
      if (size > this.#budget.bytes) throw new PackError('the objects of the pack are too large');
    }
    if (size > this.#budget.bytes) throw new PackError('the objects of the pack are too large');
    this.#budget.bytes -= size;
    return { type, size };
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new PackError('the pack is cut off');
    this.#at += 1;
    return byte;
  }

  async #inflate(size: number): Promise<Buffer> {
    const { content, consumed } = await inflate(this.#bytes.subarray(this.#at), size);
    this.#at += consumed;
    return content;
  }
}

/**
 * Inflates the stream at the start of `bytes`. Returns its content and its length.
 * @throws PackError unless it holds exactly `size` bytes; only slightly more than that is inflated.
 */
async function inflate(bytes: Buffer, size: number): Promise<{ content: Buffer; consumed: number }> {
  const stream = createInflate();
  const chunks: Buffer[] = [];
  let length = 0;
  stream.end(bytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > size) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new PackError('an object of the pack cannot be inflated', { cause: error });
  }
  if (length !== size)
    throw new PackError('an object of the pack does not have the size that its header states');
  return { content: Buffer.concat(chunks), consumed: stream.bytesWritten };
}
