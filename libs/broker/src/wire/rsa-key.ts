/**
 * An RSA key in a form that the functions of `node:crypto` parse at each use. A KeyObject uses 5 KiB outside the heap,
 * which is freed late, because the object itself is small and rarely triggers a garbage collection.
 */
export interface RsaPrivateKey {
  key: Buffer;
  format: 'der';
  type: 'pkcs1';
}

/** The numbers of a key, each with its most significant byte first. */
interface RsaNumbers {
  n: Buffer;
  e: Buffer;
  d: Buffer;
  p: Buffer;
  q: Buffer;
  dp: Buffer;
  dq: Buffer;
  qi: Buffer;
}

const tagInteger = 0x02;
const tagSequence = 0x30;

/** Returns the key with these numbers (RFC 8017, A.1.2). */
export function rsaPrivateKey({ n, e, d, p, q, dp, dq, qi }: RsaNumbers): RsaPrivateKey {
  const version = Buffer.from([0]);
  const numbers = [version, n, e, d, p, q, dp, dq, qi].map(integer);
  return { key: element(tagSequence, Buffer.concat(numbers)), format: 'der', type: 'pkcs1' };
}

/** Encodes an unsigned number in the fewest bytes whose first bit is not set. */
function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.subarray(first < 0 ? bytes.length : first);
  const isNegative = ((digits[0] ?? 0x80) & 0x80) !== 0;
  return element(tagInteger, isNegative ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, content]);
}
