import { maxJobTextBytes } from '@interlock/api/worker-contract';
import { Misconfigured } from './misconfigured.js';

/** The types of frames; the numbers are the same as in the runner's `WorkerMessage`. */
export const frameTypes = { newJobRequest: 1, cancelRequest: 2, runnerShutdown: 3 } as const;

/** The number of a type of frame. */
type FrameType = (typeof frameTypes)[keyof typeof frameTypes];

const headerBytes = 8;
const charactersPerChunk = 32 * 1024;

/**
 * Returns a frame in chunks of at most 64 KiB, so that a large job is not in memory twice: the type and the byte length as 32-bit
 * little-endian integers, then the body as UTF-16LE without a byte order mark. A chunk may end inside of a surrogate pair: the
 * two halves are bytes that follow each other.
 *
 * @throws Misconfigured when the body exceeds the 50,000,000 bytes that the runner accepts
 */
export function frameChunks(type: FrameType, body = ''): Iterable<Buffer> {
  const bytes = body.length * 2;
  if (bytes > maxJobTextBytes)
    throw new Misconfigured(
      `the payload has ${bytes} bytes as UTF-16, and the runner accepts at most ${maxJobTextBytes}; reduce the inputs, outputs or matrix of the workflow`,
    );
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(type, 0);
  header.writeInt32LE(bytes, 4);
  return bytes === 0 ? [header] : withBody(header, body);
}

function* withBody(header: Buffer, body: string): Generator<Buffer> {
  yield header;
  for (let at = 0; at < body.length; at += charactersPerChunk)
    yield Buffer.from(body.slice(at, at + charactersPerChunk), 'utf16le');
}
