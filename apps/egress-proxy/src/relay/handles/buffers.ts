/** A read that is as long as this, and taken at once, shows a connection that has more: it gets the large buffer. */
const smallBytes = 16 * 1024;
const largeBytes = 256 * 1024;
/** Bytes that all connections together keep for readers that are slow, beyond which each of them is read in small parts. */
const budgetBytes = 4 * 1024 * 1024;
const spareBuffers = 8;

/**
 * Where every connection reads into: a read is reported at once and its bytes are handed on before the next one, so that one buffer
 * serves them all. What cannot be handed on is copied, and the memory for that is used again: large buffers that are thrown away
 * add up until the next garbage collection.
 */
const readBuffer = Buffer.allocUnsafeSlow(largeBytes);
export const smallBuffer = readBuffer.subarray(0, smallBytes);

const spares: Buffer[] = [];
let keptBytes = 0;

/** Returns the bytes of a read. */
export function readBytes(count: number): Buffer {
  return readBuffer.subarray(0, count);
}

/**
 * Returns the buffer for the next read of a connection.
 *
 * @param count bytes of the read before
 * @param isTaken whether all of it was handed on
 */
export function nextBuffer(count: number, isTaken: boolean): Buffer {
  return isTaken && count >= smallBytes && keptBytes < budgetBytes ? readBuffer : smallBuffer;
}

/** Returns a copy of bytes, to be given back by {@link dropCopy}. */
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

/** Gives a copy back, which nobody uses any more. */
export function dropCopy(copy: Buffer): void {
  const { byteLength } = copy.buffer;
  keptBytes -= byteLength;
  if (byteLength === largeBytes && spares.length < spareBuffers) spares.push(Buffer.from(copy.buffer));
}
