import { Http2Error } from './http2-error.js';

/**
 * The length in bits of the code of each octet, and of the end of the string (RFC 7541, Appendix B). The code is canonical: within a
 * length, and from shorter to longer lengths, codes are consecutive in the order of the octets.
 */
const codeLengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7,
  8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19,
  13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
  28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21,
  22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23,
  22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25,
  25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];
const endOfString = 256;
const minLength = 5;
const maxLength = 30;
/** The shortest code has 5 bits, so a string is at most 8/5 as long as its encoding. */
const maxGrowth = 8 / minLength;

/** The codes of one length: the first of them, and their symbols in order. */
interface CodesOfLength {
  first: number;
  symbols: number[];
}

const codes: readonly CodesOfLength[] = codesByLength();

/** Decodes a string that is encoded by the Huffman code of HPACK. @throws Http2Error `COMPRESSION_ERROR` */
export function decodeHuffman(bytes: Buffer): string {
  const decoded = Buffer.allocUnsafe(Math.floor(bytes.length * maxGrowth));
  let used = 0;
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      length += 1;
      const symbol = symbolOf(code, length);
      if (symbol === undefined) continue;
      if (symbol === endOfString) throw invalid('contains the end-of-string symbol');
      decoded[used++] = symbol;
      code = 0;
      length = 0;
    }
  }
  /* The padding are the first bits of the end of the string, which are all 1. */
  if (length > 7 || code !== (1 << length) - 1) throw invalid('has invalid padding');
  return decoded.toString('latin1', 0, used);
}

function symbolOf(code: number, length: number): number | undefined {
  const { first, symbols } = codes[length] ?? { first: 0, symbols: [] };
  return symbols[code - first];
}

function codesByLength(): CodesOfLength[] {
  const all: CodesOfLength[] = [];
  let first = 0;
  for (let length = 0; length <= maxLength; length++) {
    const symbols = codeLengths.flatMap((of, symbol) => (of === length ? [symbol] : []));
    all.push({ first, symbols });
    first = (first + symbols.length) << 1;
  }
  return all;
}

function invalid(what: string): Http2Error {
  return new Http2Error('COMPRESSION_ERROR', `a compressed string ${what}`);
}
