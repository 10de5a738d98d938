import type { Readable } from 'node:stream';
import type { BodyAllowance } from './body-budget.js';

/** The reason for which a body is not read completely; `statusCode` is the status of the answer. */
export class BodyRefused extends Error {
  readonly statusCode: 413 | 503;

  constructor(statusCode: 413 | 503, message: string) {
    super(message);
    this.name = 'BodyRefused';
    this.statusCode = statusCode;
  }
}

interface BodyReading {
  /** Maximum size in bytes. */
  maxBytes: number;
  /** From the header `content-length`; undefined if it is absent. */
  declaredBytes: number | undefined;
  /** If false, the bytes are counted and dropped. */
  isKept: boolean;
  allowance: BodyAllowance;
}

const firstBytes = 16 * 1024;

/**
 * Reads a body into one buffer that grows with the received data. Neither a declared length nor many small chunks use
 * more memory than twice the bytes that were sent.
 *
 * @throws BodyRefused 413 above the limit, 503 when the budget is used up; the rest of the body is not read then. If another request
 *   takes the place of this one, its connection ends.
 */
export async function readBody(body: Readable, reading: BodyReading): Promise<Buffer> {
  const { maxBytes, declaredBytes, isKept, allowance } = reading;
  if ((declaredBytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bound = Math.min(maxBytes, declaredBytes ?? maxBytes);
  let buffer: Buffer = Buffer.alloc(0);
  let capacity = 0;
  let length = 0;
  /* An answer would not end the iteration below, which holds what has arrived. */
  allowance.displaced.addEventListener('abort', () => body.destroy(tooMany()), { once: true });
  /* Iterating would destroy the stream, and with it the connection, if it ends early. */
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const needed = length + chunk.length;
    if (needed > maxBytes) throw tooLarge(maxBytes);
    if (needed > capacity) {
      const grown = Math.min(bound, Math.max(needed, capacity * 2, firstBytes));
      if (!allowance.take(grown - capacity)) throw tooMany();
      capacity = grown;
      if (isKept) buffer = grow(buffer, capacity, length);
    }
    if (isKept) chunk.copy(buffer, length);
    length = needed;
  }
  allowance.received();
  return isKept ? buffer.subarray(0, length) : buffer;
}

function grow(buffer: Buffer, capacity: number, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(capacity);
  buffer.copy(larger, 0, 0, length);
  return larger;
}

/** The refusal of a request for which the budget has no room. */
export function tooMany(): BodyRefused {
  return new BodyRefused(503, 'too many requests are in progress');
}

function tooLarge(maxBytes: number): BodyRefused {
  return new BodyRefused(413, `the body is larger than ${maxBytes} bytes`);
}
