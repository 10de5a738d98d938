import { heldBytes } from '../held.js';

const kibibyte = 1024;
/** Length of a read from which a connection gets a larger buffer: more data is likely. */
const smallBytes = 16 * kibibyte;
const mediumBytes = 64 * kibibyte;
const largeBytes = 256 * kibibyte;
const smallestBytes = 2 * kibibyte;

/**
 * The buffer into which every connection reads. Each read is delivered before the next one, so one buffer serves all connections. Bytes
 * that cannot be delivered are copied into memory that is reused, because discarded buffers add up until the next garbage collection.
 */
const readBuffer = Buffer.allocUnsafeSlow(largeBytes);
const mediumBuffer = readBuffer.subarray(0, mediumBytes);
export const smallBuffer = readBuffer.subarray(0, smallBytes);
const smallestBuffer = readBuffer.subarray(0, smallestBytes);

/** Maximum number of bytes of a copy. */
export const copyBytes = smallBytes;
const spares: Record<number, Buffer[]> = { [smallestBytes]: [], [smallBytes]: [] };

/** The bytes of the latest read; they are reused, because many reads in a row have the same length. */
let latest = smallBuffer;

/** Returns the bytes of a read. */
export function readBytes(count: number): Buffer {
  if (count !== latest.length) latest = readBuffer.subarray(0, count);
  return latest;
}

/**
 * Returns the buffer for the next read of a connection.
 *
 * @param count bytes of the previous read
 * @param isTaken whether all of them were delivered
 */
export function nextBuffer(count: number, isTaken: boolean): Buffer {
  const { pace } = heldBytes;
  if (pace === 'smallest') return smallestBuffer;
  if (pace === 'small' || count < smallBytes) return smallBuffer;
  return isTaken ? readBuffer : mediumBuffer;
}

/** Returns a copy of at most {@link copyBytes} bytes. Release it with {@link dropCopy}. */
export function copyOf(bytes: Buffer): Buffer {
  const size = bytes.length <= smallestBytes ? smallestBytes : smallBytes;
  const memory = spares[size]?.pop() ?? Buffer.allocUnsafeSlow(size);
  const copy = memory.subarray(0, bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Releases a copy that is no longer used. */
export function dropCopy(copy: Buffer): void {
  spares[copy.buffer.byteLength]?.push(Buffer.from(copy.buffer));
}
