const period = 65_521;
const unit = Buffer.from(Array.from({ length: period }, (_, at) => (at * 31 + (at >> 8) * 7) & 255));

/** Returns the bytes from an offset of an infinite text in which nearby parts differ. */
export function pattern(offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    at += unit.copy(bytes, at, (offset + at) % period);
  }
  return bytes;
}
