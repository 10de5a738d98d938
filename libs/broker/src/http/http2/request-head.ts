import { TypedError } from '@interlock/api';
import type { HttpCall } from '../exchange.js';
import { staticTable } from './hpack-static-table.js';

/** Matches a character that no value may contain. */
const unsendable = /[^\t\x20-\x7e]/;
const fieldName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/;
/** Headers of a connection of HTTP/1.1 (RFC 9113, 8.2.2); `host` is sent as `:authority`. */
const withoutMeaning: ReadonlySet<string> = new Set([
  ...['connection', 'host', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'],
]);
/** Values that no intermediary may store in a table (RFC 7541, 7.1.3). */
const secrets: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);
/** The server keeps no table for this client: its size is 0 from the first block on. */
export const noTable = '\x20';

const indexes = new Map<string, number>();
for (const [at, [name]] of staticTable.entries()) if (!indexes.has(name)) indexes.set(name, at + 1);
/** Headers that have the same value in most calls. */
const steadyNames: ReadonlySet<string> = new Set([':authority', 'accept', 'accept-encoding', 'user-agent']);
/** The latest value of each of them, and its field. */
const latestFields = new Map<string, { value: string; field: string }>();
/** Indexes of the static table. */
const staticIndex = { get: 2, post: 3, http: 6, https: 7, authorization: 23 } as const;
const secretPattern = 0x10;
const scheme = 'Bearer ';

/**
 * Encodes the head of a request (RFC 7541), without a table and without compression: most of it is a token, which must not be indexed.
 *
 * Returns the bytes as a `latin1` string.
 *
 * @throws TypedError `Invalid` for a header that cannot be sent
 */
export function encodeRequest({ method, url, token, headers, body }: HttpCall): string {
  let block =
    methodOf(method) + indexed(url.origin.startsWith('http:') ? staticIndex.http : staticIndex.https);
  block += fieldOf(':authority', url.host) + literal(':path', checked(url.pathname + url.search));
  for (const given of Object.keys(headers)) {
    const name = given.toLowerCase();
    if (!fieldName.test(name)) throw invalid();
    if (!withoutMeaning.has(name)) block += fieldOf(name, headers[given] ?? '');
  }
  if (body !== undefined || method === 'POST')
    block += literal('content-length', String(Buffer.byteLength(body ?? '')));
  return token === undefined ? block : block + bearer(checked(token));
}

/** Returns the field `authorization` without a copy of the token. */
function bearer(token: string): string {
  const start =
    integer(secretPattern, 4, staticIndex.authorization) + integer(0, 7, scheme.length + token.length);
  return start + scheme + token;
}

/** Returns a checked field, and remembers it if its name is steady; no value of a service or of a session is kept. */
function fieldOf(name: string, value: string): string {
  if (!steadyNames.has(name)) return literal(name, checked(value));
  const known = latestFields.get(name);
  if (known?.value === value) return known.field;
  const field = literal(name, checked(value));
  latestFields.set(name, { value, field });
  return field;
}

function checked(value: string): string {
  if (unsendable.test(value)) throw invalid();
  return value;
}

function methodOf(method: HttpCall['method']): string {
  if (method === 'GET') return indexed(staticIndex.get);
  return method === 'POST' ? indexed(staticIndex.post) : literal(':method', method);
}

function indexed(index: number): string {
  return String.fromCharCode(0x80 | index);
}

/** Encodes a field that is not added to the table, or must not be added to any (RFC 7541, 6.2.2 and 6.2.3). */
function literal(name: string, value: string): string {
  const pattern = secrets.has(name) ? secretPattern : 0;
  const index = indexes.get(name) ?? 0;
  const start = integer(pattern, 4, index) + (index === 0 ? integer(0, 7, name.length) + name : '');
  return start + integer(0, 7, value.length) + value;
}

/** Encodes an integer (RFC 7541, 5.1). */
function integer(pattern: number, bits: number, value: number): string {
  const mask = (1 << bits) - 1;
  if (value < mask) return String.fromCharCode(pattern | value);
  let text = String.fromCharCode(pattern | mask);
  let rest = value - mask;
  for (; rest >= 0x80; rest >>= 7) text += String.fromCharCode((rest & 0x7f) | 0x80);
  return text + String.fromCharCode(rest);
}

function invalid(): TypedError {
  return new TypedError('Invalid', 'a header of a call has characters that cannot be sent');
}
