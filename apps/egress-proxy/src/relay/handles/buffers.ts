/** Length of a read from which a connection gets the large buffer, if the bytes were delivered at once: more data is likely. */
const smallBytes = 16 * 1024;
const largeBytes = 256 * 1024;
/**
 * Bytes that all connections together may hold for slow readers. Beyond this limit, connections are read in small parts.
 */
const budgetBytes = 4 * 1024 * 1024;
const spareBuffers = 4;

/**
 * The buffer into which every connection reads. Each read is delivered before the next one, so one buffer serves all connections. Bytes
 * that cannot be delivered are copied into memory that is reused, because discarded large buffers add up until the next garbage
 * collection.
 */
const readBuffer = Buffer.allocUnsafeSlow(largeBytes);
export const smallBuffer = readBuffer.subarray(0, smallBytes);

const spares: Buffer[] = [];
let keptBytes = 0;

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
  return isTaken && count >= smallBytes && keptBytes < budgetBytes ? readBuffer : smallBuffer;
}

/** Returns a copy of bytes. Release it with {@link dropCopy}. */
export function copyOf(bytes: Buffer): Buffer {
  const memory =
    bytes.length <= smallBytes
      ? Buffer.allocUnsafeSlow(bytes.length)
      : (spares.pop() ?? Buffer.allocUnsafeSlow(largeBytes));
  const copy = memory.subarray(0, bytes.length);
  bytes.copy(copy);
  keptBytes += memory.length;
  return copy;
}

/** Releases a copy that is no longer used. */
export function dropCopy(copy: Buffer): void {
  const { byteLength } = copy.buffer;
  keptBytes -= byteLength;
  if (byteLength === largeBytes && spares.length < spareBuffers) spares.push(Buffer.from(copy.buffer));
}
