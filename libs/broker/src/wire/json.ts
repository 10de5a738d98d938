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

/** The digits of the largest integer that JavaScript represents exactly: 2^53 - 1. */
const longest = String(Number.MAX_SAFE_INTEGER);
const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const zero = 0x30;

/**
 * Parses a JSON text. Numbers that JavaScript cannot represent exactly become texts of their digits, so that ids remain exact.
 *
 * @param what the text, for messages
 * @throws TypedError `Invalid` for a text that is not JSON, or is larger or deeper than `limits`
 */
export function parseJson(text: Buffer | string, what = 'the answer', limits = answerLimits): unknown {
  /* No text has fewer bytes than characters. */
  const bytes = text.length > limits.maxBytes ? text.length : Buffer.byteLength(text);
  if (bytes > limits.maxBytes) throw malformed(what, `is larger than ${limits.maxBytes} bytes`);
  const json = withoutMark(text.toString());
  const { depth, longNumbers } = measure(json);
  if (depth > limits.maxDepth) throw malformed(what, `is nested more than ${limits.maxDepth} levels deep`);
  try {
    const value: unknown = JSON.parse(longNumbers.length === 0 ? json : quoted(json, longNumbers));
    return value;
  } catch {
    /* The error of the parser quotes the text, which may hold secrets. */
    throw malformed(what, 'is not JSON');
  }
}

/** The position of a number in a text: its first character, and the character after its last. */
type Span = readonly [from: number, to: number];

/** Finds how deeply a text is nested, and its integers that are not safe, in one pass and without recursion. */
function measure(json: string): { depth: number; longNumbers: readonly Span[] } {
  let level = 0;
  let depth = 0;
  let digits = 0;
  let longNumbers: Span[] | undefined;
  for (let at = 0; at <= json.length; at++) {
    const code = codeAt(json, at);
    if (code >= zero && code <= 0x39) {
      digits += 1;
      continue;
    }
    if (digits >= longest.length) {
      const span = integerOf(json, at - digits, at);
      if (span !== undefined) (longNumbers ??= []).push(span);
    }
    digits = 0;
    if (code === quote) at = endOfString(json, at + 1);
    else if (code === 0x7b || code === 0x5b) depth = Math.max(depth, ++level);
    else if (code === 0x7d || code === 0x5d) level -= 1;
  }
  return { depth, longNumbers: longNumbers ?? [] };
}

/** Returns the position of the integer with these digits if it is not safe; undefined if they are a part of another number. */
function integerOf(json: string, from: number, to: number): Span | undefined {
  const start = codeAt(json, from - 1) === minus ? from - 1 : from;
  const isWhole = isBetween(codeAt(json, start - 1)) && isBetween(codeAt(json, to));
  if (!isWhole || codeAt(json, from) === zero) return undefined;
  /* Texts of the same length are compared: the conversion to a number takes half as long as JSON.parse of the whole message. */
  const isSafe = to - from === longest.length && json.slice(from, to) <= longest;
  return isSafe ? undefined : [start, to];
}

/** Commas, colons, brackets and braces. */
const structural = new Set([0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d]);

/** Returns whether a character cannot belong to a number: it is blank, structural or missing. */
function isBetween(code: number): boolean {
  return code <= 0x20 || structural.has(code);
}

/** Returns the JSON text in which integers that JavaScript cannot represent exactly are strings. */
function quoted(json: string, longNumbers: readonly Span[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const [from, to] of longNumbers) {
    parts.push(json.slice(done, from), `"${json.slice(from, to)}"`);
    done = to;
  }
  parts.push(json.slice(done));
  return parts.join('');
}

/** Returns the position of the quotation mark that ends a string. */
function endOfString(json: string, from: number): number {
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return json.length;
}

/** Returns the code of a character; 0, like a blank, if there is none. */
function codeAt(json: string, at: number): number {
  return at >= 0 && at < json.length ? json.charCodeAt(at) : 0;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function malformed(what: string, why: string): TypedError {
  return new TypedError('Invalid', `${what} ${why}`, { reason: 'MalformedAnswer' });
}
