import { createHash } from 'node:crypto';

const ellipsis = '…';
const ellipsisBytes = Buffer.byteLength(ellipsis);
const hashLength = 8;

/**
 * Returns the longest prefix of `text` with at most `maxLength` characters (UTF-16 code units). Kubernetes counts code
 * points, and a text has at most as many code points as code units. The prefix never ends within a surrogate pair: half
 * of a pair is not valid Unicode, and the API server would store a different text than was sent.
 */
export function prefixOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = Math.max(0, maxLength);
  return text.slice(0, isWithinPair(text, end) ? end - 1 : end);
}

/** Returns `text` in at most `maxLength` characters, see {@link prefixOf}. A text that is cut ends with an ellipsis. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return maxLength < ellipsis.length ? '' : prefixOf(text, maxLength - ellipsis.length).trimEnd() + ellipsis;
}

/**
 * Returns `name` in at most `maxLength` characters. A name that is cut ends with a hash, so that two long names stay
 * distinct.
 */
export function truncateDistinct(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  return `${prefixOf(name, maxLength - hashLength - 1)}-${hash}`;
}

/**
 * Returns `text` in at most `maxBytes` bytes of UTF-8. A text that is cut ends with an ellipsis, and never within a
 * character.
 */
export function truncateBytes(text: string, maxBytes: number): string {
  /* A character takes at most three bytes for each of its code units. */
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  if (maxBytes < ellipsisBytes) return '';
  const room = maxBytes - ellipsisBytes;
  const bytes = Buffer.from(text.slice(0, room + 1));
  let end = Math.min(room, bytes.length);
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end).trimEnd() + ellipsis;
}

function isWithinPair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff);
}

/** Returns whether a byte continues a character that began before (UTF-8). */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && isBetween(byte, 0x80, 0xbf);
}

function isBetween(value: number, low: number, high: number): boolean {
  return value >= low && value <= high;
}
