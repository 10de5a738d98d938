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
const malformed = (message: string): Refusal => refuse(400, 'MalformedRequest', message);

/**
 * Parses the head of a request strictly by RFC 9112: input that another server could parse differently is refused.
 *
 * @param head from the request line up to the empty line, without it, one character for each byte
 */
export function parseHead(head: string): ConnectRequest | Refusal {
  const [requestLine = '', ...fields] = head.split('\r\n');
  const [method = '', target = '', version = '', ...more] = requestLine.split(' ');
  if (!token.test(method) || target === '' || more.length > 0) {
    return malformed('the request line is not "CONNECT host:port HTTP/1.1"');
  }
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') {
    return version.startsWith('HTTP/')
      ? refuse(505, 'VersionNotSupported', 'the proxy speaks HTTP/1.1')
      : malformed('the request line is not "CONNECT host:port HTTP/1.1"');
  }
  if (method !== 'CONNECT') {
    return refuse(405, 'MethodNotAllowed', 'the proxy serves CONNECT only; use an https:// URL');
  }
  return problemOf(fields) ?? parseAuthority(target);
}

function problemOf(fields: readonly string[]): Refusal | undefined {
  for (const field of fields) {
    const colon = field.indexOf(':');
    if (colon < 0 || !token.test(field.slice(0, colon))) return malformed('a header field has no valid name');
    if (!fieldValue.test(field.slice(colon + 1))) return malformed('a header field has a control character');
    const name = field.slice(0, colon).toLowerCase();
    /* RFC 9110 9.3.6: a CONNECT request has no content, and the bytes after it are for the target. */
    if (
      name === 'transfer-encoding' ||
      (name === 'content-length' && field.slice(colon + 1).trim() !== '0')
    ) {
      return malformed(`a CONNECT request has no content, but the header ${name} is present`);
    }
  }
  return undefined;
}

function parseAuthority(authority: string): ConnectRequest | Refusal {
  const colon = authority.lastIndexOf(':');
  const written = authority.slice(0, Math.max(colon, 0));
  const digits = authority.slice(colon + 1);
  const port = Number(digits);
  if (colon < 0 || !/^\d{1,5}$/.test(digits) || port < 1 || port > 65_535) {
    return malformed('the target has no port from 1 to 65535; write host:port');
  }
  const host = hostOf(written);
  return host === undefined ? malformed('the target is not a host name or an address') : { host, port };
}

function hostOf(written: string): string | undefined {
  if (!written.startsWith('[')) return isIP(written) === 4 ? written : normalizeName(written);
  const address = written.slice(1, -1);
  return written.endsWith(']') && isIP(address) === 6 && !address.includes('%')
    ? address.toLowerCase()
    : undefined;
}
