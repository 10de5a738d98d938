import { isObject } from '../../schema/json.js';
import type { Json } from '../../schema/types.js';

/** Returns the error that Go's HTTP client reports for a connection that failed. */
export function goNetworkError(error: unknown, { hostname, port }: URL): string {
  const { code, message } = fieldsOf(error);
  const address = `${hostname}:${port === '' ? '443' : port}`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
    case 'EPIPE':
      return 'EOF';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_SIGNATURE_FAILURE':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `tls: failed to verify certificate: x509: ${nameMismatch(message, hostname)}`;
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'tls: first record does not look like a TLS handshake';
    default:
      return message;
  }
}

/**
 * Returns the API server's message for a certificate of other names. Node reports `Hostname/IP does not match
 * certificate's altnames: Host: a. is not in the cert's altnames: DNS:b, IP Address:c`.
 */
function nameMismatch(message: string, hostname: string): string {
  const expected = /Host: (\S+?)\. is not/.exec(message)?.[1] ?? hostname;
  const names = [...message.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map((match) => match[1] ?? '');
  return names.length === 0
    ? `certificate is not valid for any names, but wanted to match ${expected}`
    : `certificate is valid for ${names.join(', ')}, not ${expected}`;
}

function fieldsOf(error: unknown): { code: string; message: string } {
  if (typeof error !== 'object' || error === null) return { code: '', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: 'message' in error ? String(error.message) : '' };
}

const genericTexts: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  410: 'the resource has expired',
  413: 'Request entity too large',
  415: 'the server could not decode the request body',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Returns the error of client-go for an error response: the message of a Status, or a general text. */
export function serverErrorText(status: number, contentType: string, text: string): string {
  const message = statusMessage(text);
  if (message !== undefined) return message;
  const body = contentType.startsWith('text/') ? text.trim().slice(0, 2048) : 'unknown';
  if (status === 403) return body;
  const generic = genericTexts[status];
  if (generic !== undefined) return generic;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${String(status)} but did not return more information`;
}

function statusMessage(text: string): string | undefined {
  try {
    const answer = JSON.parse(text) as Json;
    if (!isObject(answer) || answer['kind'] !== 'Status') return undefined;
    return typeof answer['message'] === 'string' ? answer['message'] : undefined;
  } catch {
    return undefined;
  }
}
