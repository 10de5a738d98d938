/** Why a request is refused, for the response to the client and the audit line. */
export interface Refusal {
  /** Status of the HTTP response. */
  readonly status: 400 | 403 | 405 | 408 | 431 | 502 | 503 | 504 | 505;
  /** A CamelCase word for programs: the header `X-Proxy-Reason` and the field `reason` of the audit line. */
  readonly reason: string;
  /** What is wrong, and what to do. It contains only what the client sent or may know. */
  readonly message: string;
  /** Whether the request is a HEAD request: clients take a body of its response for the beginning of another one. */
  readonly isForHead?: boolean;
}

/** Returns a refusal. */
export function refuse(status: Refusal['status'], reason: string, message: string): Refusal {
  return { status, reason, message };
}

/** Returns whether a result is a refusal. */
export function isRefused(value: object): value is Refusal {
  return 'status' in value && 'reason' in value;
}

const phrases: Readonly<Record<Refusal['status'], string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
};

/** Returns the response to a refused request. It closes the connection, because each connection has one request. */
export function responseTo({ status, reason, message, isForHead = false }: Refusal): string {
  const body = `${reason}: ${message}\n`;
  return [
    `HTTP/1.1 ${status} ${phrases[status]}`,
    `X-Proxy-Reason: ${reason}`,
    ...(status === 405 ? ['Allow: CONNECT'] : []),
    ...(status === 503 ? ['Retry-After: 1'] : []),
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    isForHead ? '' : body,
  ].join('\r\n');
}

/** The response to a request whose tunnel is open. */
export const established = Buffer.from('HTTP/1.1 200 Connection Established\r\n\r\n');
