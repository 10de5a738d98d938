import { TypedError } from '@interlock/api';

/** Limits of a text that is parsed. */
interface JsonLimits {
  maxBytes: number;
  maxDepth: number;
}

/** Limits of every answer except the payload of a job. */
const answerLimits: JsonLimits = { maxBytes: 1 << 20, maxDepth: 64 };
/** Limits of the payload of a job. */
export const payloadLimits: JsonLimits = { maxBytes: 16 << 20, maxDepth: 200 };

/** The number of digits up to which an integer is below 2^53. */
const safeDigits = 15;
const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;

/**
 * Parses a JSON text. Numbers that JavaScript cannot represent exactly become texts of their digits, so that ids remain exact.
 *
 * @param what the text, for messages
 * @throws TypedError `Invalid` for a text that is not JSON, or is larger or deeper than `limits`
 */
export function parseJson(
  text: Buffer | string,
  limits: JsonLimits = answerLimits,
  what = 'the answer',
): unknown {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  if (bytes.length > limits.maxBytes) throw malformed(what, `is larger than ${limits.maxBytes} bytes`);
  const { depth, longNumbers } = measure(bytes);
  if (depth > limits.maxDepth) throw malformed(what, `is nested more than ${limits.maxDepth} levels deep`);
  try {
    const exact = longNumbers.length === 0 ? bytes.toString('utf8') : quoted(bytes, longNumbers);
    const value: unknown = JSON.parse(withoutMark(exact));
    return value;
  } catch {
    /* The error of the parser quotes the text, which may hold secrets. */
    throw malformed(what, 'is not JSON');
  }
}

/** The position of a number in a text: its first byte, and the byte after its last. */
type Span = readonly [from: number, to: number];

/** Finds how deeply a text is nested, and its integers that are not safe, in one pass and without recursion. */
function measure(bytes: Buffer): { depth: number; longNumbers: Span[] } {
  let level = 0;
  let depth = 0;
  let digits = 0;
  const longNumbers: Span[] = [];
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== undefined && byte >= 0x30 && byte <= 0x39) {
      digits += 1;
      continue;
    }
    if (digits > safeDigits) {
      const span = integerOf(bytes, at - digits, at);
      if (span !== undefined) longNumbers.push(span);
    }
    digits = 0;
    if (byte === quote) at = endOfString(bytes, at + 1);
    else if (byte === 0x7b || byte === 0x5b) depth = Math.max(depth, ++level);
    else if (byte === 0x7d || byte === 0x5d) level -= 1;
  }
  return { depth, longNumbers };
}

/** Returns the position of the integer with these digits if it is not safe; undefined if they are a part of another number. */
function integerOf(bytes: Buffer, from: number, to: number): Span | undefined {
  const start = bytes[from - 1] === minus ? from - 1 : from;
  const isWhole = isBetween(bytes[start - 1]) && isBetween(bytes[to]);
  if (!isWhole || bytes[from] === 0x30) return undefined;
  return Number.isSafeInteger(Number(bytes.toString('latin1', start, to))) ? undefined : [start, to];
}

/** Commas, colons, brackets and braces. */
const structural = new Set([0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d]);

/** Returns whether a byte cannot belong to a number: it is blank, structural or missing. */
function isBetween(byte: number | undefined): boolean {
  return byte === undefined || byte <= 0x20 || structural.has(byte);
}

/** Returns the JSON text in which integers that JavaScript cannot represent exactly are strings. */
function quoted(bytes: Buffer, longNumbers: readonly Span[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const [from, to] of longNumbers) {
    parts.push(bytes.toString('utf8', done, from), `"${bytes.toString('latin1', from, to)}"`);
    done = to;
  }
  parts.push(bytes.toString('utf8', done));
  return parts.join('');
}

function endOfString(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(quote, from);
  while (at >= 0 && isEscaped(bytes, at, from)) at = bytes.indexOf(quote, at + 1);
  return at < 0 ? bytes.length : at;
}

function isEscaped(bytes: Buffer, at: number, from: number): boolean {
  let backslashes = 0;
  while (at - 1 - backslashes >= from && bytes[at - 1 - backslashes] === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function malformed(what: string, why: string): TypedError {
  return new TypedError('Invalid', `${what} ${why}`, { reason: 'MalformedAnswer' });
}
