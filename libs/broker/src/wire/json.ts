import { TypedError } from '@interlock/api';
import { parse } from 'lossless-json';

/** Limits of a text that is parsed. */
export interface JsonLimits {
  maxBytes: number;
  maxDepth: number;
}

/** Limits of every answer but the payload of a job. */
export const answerLimits: JsonLimits = { maxBytes: 1 << 20, maxDepth: 64 };
/** Limits of the payload of a job. */
export const payloadLimits: JsonLimits = { maxBytes: 16 << 20, maxDepth: 200 };

/** A number with more digits may be beyond 2^53. */
const safeDigits = 15;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Parses a JSON text. Numbers that JavaScript cannot hold exactly become texts of their digits, so that ids survive.
 *
 * @throws TypedError `Invalid` for a text that is not JSON, or is larger or deeper than `limits`
 */
export function parseJson(text: Buffer | string, limits: JsonLimits = answerLimits): unknown {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  if (bytes.length > limits.maxBytes) throw malformed(`is larger than ${limits.maxBytes} bytes`);
  const { depth, hasLongNumber } = measure(bytes);
  if (depth > limits.maxDepth) throw malformed(`is nested more than ${limits.maxDepth} levels deep`);
  const source = withoutMark(bytes.toString('utf8'));
  try {
    const value: unknown = hasLongNumber
      ? parse(source, null, { parseNumber: numberOf })
      : JSON.parse(source);
    return value;
  } catch {
    /* The parser quotes the text, which may hold secrets. */
    throw malformed('is not JSON');
  }
}

/** Finds how deep a text is nested, and whether a number has many digits, in one pass and without recursion. */
function measure(bytes: Buffer): { depth: number; hasLongNumber: boolean } {
  let level = 0;
  let depth = 0;
  let digits = 0;
  let hasLongNumber = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at + 1);
      digits = 0;
    } else if (byte !== undefined && byte >= 0x30 && byte <= 0x39) {
      digits += 1;
      if (digits > safeDigits) hasLongNumber = true;
    } else {
      digits = 0;
      if (byte === 0x7b || byte === 0x5b) depth = Math.max(depth, ++level);
      else if (byte === 0x7d || byte === 0x5d) level -= 1;
    }
  }
  return { depth, hasLongNumber };
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

function numberOf(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : text;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function malformed(what: string): TypedError {
  return new TypedError('Invalid', `the answer ${what}`, { reason: 'MalformedAnswer' });
}
