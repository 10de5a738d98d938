import { isIP } from 'node:net';
import { normalizeName } from '../policy/host-patterns.js';
import { refuse, type Refusal } from '../refusal.js';

/** The target that a client requests. */
export interface ConnectRequest {
  /** A host name in lower case, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/* Field values of RFC 9110 5.5: visible characters, spaces, tabs and bytes beyond ASCII. */
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
/* RFC 9110 7.2: a host of RFC 3986, which may be empty, and an optional port. */
const hostValue = /^(?:\[[\dA-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;
const lineBreak = '\r\n';
const malformed = (cause: string, fix = 'correct the client'): Refusal =>
  refuse(400, 'MalformedRequest', `${cause}; ${fix}`);

/**
 * Parses the head of a request strictly by RFC 9112: input that another server could parse differently is refused.
 *
 * @param head from the request line up to the empty line, which is not included; one character for each byte
 */
export function parseHead(head: string): ConnectRequest | Refusal {
  /* RFC 9112 2.2: one empty line before the request line is ignored. */
  if (head.startsWith(lineBreak)) head = head.slice(lineBreak.length);
  const lineEnd = head.indexOf(lineBreak);
  const requestLine = lineEnd < 0 ? head : head.slice(0, lineEnd);
  const afterMethod = requestLine.indexOf(' ');
  const afterTarget = requestLine.indexOf(' ', afterMethod + 1);
  const method = requestLine.slice(0, Math.max(afterMethod, 0));
  const target = requestLine.slice(afterMethod + 1, Math.max(afterTarget, afterMethod + 1));
  const version = requestLine.slice(afterTarget + 1);
  if (afterTarget < 0 || !token.test(method) || target === '' || version.includes(' ')) {
    return malformed('the request line is not "CONNECT host:port HTTP/1.1"');
  }
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') {
    return version.startsWith('HTTP/')
      ? refuse(505, 'VersionNotSupported', 'the proxy supports HTTP/1.1 only; use a client that sends it')
      : malformed('the request line is not "CONNECT host:port HTTP/1.1"');
  }
  if (method !== 'CONNECT') {
    const refusal = refuse(405, 'MethodNotAllowed', 'the proxy serves CONNECT only; use an https:// URL');
    return { ...refusal, isForHead: method === 'HEAD' };
  }
  return problemOf(head, lineEnd) ?? parseAuthority(target);
}

/** Returns what is wrong with the header fields. @param at the end of the request line, or -1 if it is the end of the head */
function problemOf(head: string, at: number): Refusal | undefined {
  let hasHost = false;
  while (at >= 0) {
    const start = at + lineBreak.length;
    at = head.indexOf(lineBreak, start);
    const field = head.slice(start, at < 0 ? head.length : at);
    const colon = field.indexOf(':');
    const name = field.slice(0, Math.max(colon, 0)).toLowerCase();
    const problem = problemOfField(name, field.slice(colon + 1));
    if (problem !== undefined) return problem;
    /* RFC 9112 3.2. A request without this header is served: its target is unambiguous, and some clients omit the header. */
    if (name === 'host' && hasHost) return malformed('the header host is present more than once');
    hasHost ||= name === 'host';
  }
  return undefined;
}

/** @param name in lower case */
function problemOfField(name: string, value: string): Refusal | undefined {
  if (!token.test(name)) return malformed('a header field has an invalid name');
  if (!fieldValue.test(value)) return malformed('a header field contains a control character');
  if (name === 'host')
    return hostValue.test(value.trim()) ? undefined : malformed('the header host is not host:port');
  if (name !== 'transfer-encoding' && name !== 'content-length') return undefined;
  /* RFC 9110 9.3.6: a CONNECT request has no content, and the bytes after it are for the target. */
  return name === 'content-length' && value.trim() === '0'
    ? undefined
    : malformed(`a CONNECT request has no content, but the header ${name} is present`);
}

function parseAuthority(authority: string): ConnectRequest | Refusal {
  const colon = authority.lastIndexOf(':');
  const written = authority.slice(0, Math.max(colon, 0));
  const digits = authority.slice(colon + 1);
  const port = Number(digits);
  if (colon < 0 || !/^\d{1,5}$/.test(digits) || port < 1 || port > 65_535) {
    return malformed('the target has no port from 1 to 65535', 'write host:port');
  }
  const host = hostOf(written);
  if (host === undefined) return malformed('the target is neither a host name nor an address');
  return { host: detached(host), port };
}

/**
 * Returns a copy of a text. A part of a string keeps the whole string in memory: here, it would keep the head for as long as its
 * tunnel is open.
 */
function detached(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

function hostOf(written: string): string | undefined {
  if (!written.startsWith('[')) return isIP(written) === 4 ? written : normalizeName(written);
  const address = written.slice(1, -1);
  return written.endsWith(']') && isIP(address) === 6 && !address.includes('%')
    ? address.toLowerCase()
    : undefined;
}
