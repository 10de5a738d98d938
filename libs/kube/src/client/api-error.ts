import { isTyped, TypedError, type ErrorType } from '@interlock/api';
import { prefixOf } from '@interlock/base';

/** One entry of a Status' `details.causes` (meta/v1 StatusCause). */
interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** The part of a failed request that messages may show. */
export interface RequestLine {
  method: string;
  /** Without the query. */
  path: string;
}

interface ApiErrorOptions extends RequestLine {
  /** HTTP status; 0 if there was no answer. */
  code: number;
  reason: string;
  causes?: readonly StatusCause[];
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Reasons of failures without an answer from the server, for which Kubernetes has no name. */
export const networkReason = {
  /** There was no connection, so the request was not sent. */
  unreachable: 'Unreachable',
  /** The connection broke, so the request may have been carried out. */
  connectionLost: 'ConnectionLost',
  timeout: 'Timeout',
  /** The kubeconfig does not trust the certificate of the server. */
  untrusted: 'UntrustedServer',
  /** The answer does not come from the Kubernetes API. */
  malformed: 'MalformedResponse',
  /** The answer has more bytes than this client keeps in memory. */
  tooLarge: 'ResponseTooLarge',
} as const;

/** A failed request to the Kubernetes API; `reason` is the reason that the server sent (meta/v1 StatusReason). */
export class ApiError extends TypedError {
  /** HTTP status; 0 if there was no answer. */
  readonly code: number;
  readonly causes: readonly StatusCause[];
  readonly method: string;
  readonly path: string;

  constructor(type: ErrorType, message: string, options: ApiErrorOptions) {
    const { method, path, code, reason, retryAfterMs, cause } = options;
    super(type, `${method} ${path}: ${message}`, { reason, retryAfterMs, cause });
    this.name = 'ApiError';
    this.code = code;
    this.causes = options.causes ?? [];
    this.method = method;
    this.path = path;
  }
}

/** Returns whether the server no longer has the requested resourceVersion. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && isTyped(error, 'NotFound') && error.code === 410;
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.reason === networkReason.tooLarge;
}

/** Returns whether a create failed because the object exists; other conflicts have the reason `Conflict`. */
export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409 && error.reason === 'AlreadyExists';
}

interface Status {
  message?: string;
  reason?: string;
  code?: number;
  details?: { causes?: StatusCause[]; retryAfterSeconds?: number };
}

const defaultReasons: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Gone',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/**
 * Returns the error for an answer that is not a success.
 *
 * @param code the HTTP status, or the code of the Status for an ERROR event of a watch
 * @param body the decoded body: a Status, or the answer of a proxy
 * @param retryAfter the `Retry-After` header
 */
export function errorOfStatus(
  line: RequestLine,
  code: number,
  body: unknown,
  retryAfter: string | undefined,
): ApiError {
  const status: Status = typeof body === 'object' && body !== null ? body : {};
  const reason = status.reason || (defaultReasons[code] ?? `Http${code}`);
  const text = status.message || (typeof body === 'string' && prefixOf(body.trim(), 300)) || reason;
  const causes = status.details?.causes ?? [];
  const retryAfterMs = secondsToMs(retryAfter) ?? secondsToMs(status.details?.retryAfterSeconds);
  return new ApiError(typeOf(code, text, causes), `${text}${adviceFor(text)} (${code} ${reason})`, {
    ...line,
    code,
    reason,
    causes,
    retryAfterMs,
  });
}

/** Returns what to do about the refusal of a server-side apply that has a field of a newer definition; the API server names only the field. */
function adviceFor(message: string): string {
  const isUnknownField = message.endsWith('field not declared in schema');
  return isUnknownField
    ? '; upgrade the definition of this kind in the cluster, which does not have the field'
    : '';
}

/** Returns the milliseconds in a `Retry-After` header. API servers send seconds; the date form of the header is ignored. */
function secondsToMs(value: string | number | undefined): number | undefined {
  const seconds = value === undefined || value === '' ? NaN : Number(value);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

/** Refusals of etcd that the API server passes on as 500: a request below its own limit (413) may have a larger object than etcd stores. */
const tooLargeForEtcd = /etcdserver: request is too large|trying to send message larger than max/;

function typeOf(code: number, message: string, causes: readonly StatusCause[]): ErrorType {
  switch (code) {
    case 401:
      return 'Unauthorized';
    case 403:
      return typeOfForbidden(message, causes);
    case 404:
    case 410:
      return 'NotFound';
    case 409:
      return 'Conflict';
    case 400:
    case 413:
    case 415:
      return 'Invalid';
    case 422:
      return causes.some(refusesUid) ? 'Conflict' : 'Invalid';
    case 429:
      return 'RateLimited';
    case 500:
      return tooLargeForEtcd.test(message) ? 'Invalid' : 'Transient';
    case 408:
    case 502:
    case 503:
    case 504:
      return 'Transient';
    default:
      return 'Permanent';
  }
}

/**
 * Returns whether a cause refuses the uid of an apply or a patch: the object was recreated. For an update, the API server
 * answers 409 (apimachinery validation, objectmeta.go).
 */
function refusesUid({ field, message }: StatusCause): boolean {
  return field === 'metadata.uid' && message?.endsWith('field is immutable') === true;
}

/**
 * Refusals of admission that pass by themselves: by a quota, by a quota that has not been counted yet, and by an API
 * server that has just started and has not read yet what admission depends on.
 */
const passingRefusals = ['exceeded quota: ', 'status unknown for quota: ', 'not yet ready to handle request'];

/**
 * Returns the type of an error with status 403. Admission also answers 403: some of its refusals pass, and a terminating
 * namespace is not a matter of credentials.
 */
function typeOfForbidden(message: string, causes: readonly StatusCause[]): ErrorType {
  if (causes.some((cause) => cause.reason === 'NamespaceTerminating')) return 'Conflict';
  return passingRefusals.some((text) => message.includes(text)) ? 'Transient' : 'Unauthorized';
}

/** Failures of this kind happen before anything is sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of OpenSSL and Node for certificates that are expired, self-signed, of another authority or for another name. */
const certificateCode = /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** Returns the error for a request without an answer, from the error of the HTTP client. */
export function errorOfNetwork(line: RequestLine, thrown: unknown): ApiError {
  const { code, message } = describe(thrown);
  if (certificateCode.test(code)) {
    const reason = networkReason.untrusted;
    /* It passes when the certificate is renewed, or when a new authority has reached this machine. */
    return new ApiError('Transient', `${message} (${code})`, { ...line, code: 0, reason, cause: thrown });
  }
  const reason = unsentCodes.has(code) ? networkReason.unreachable : networkReason.connectionLost;
  return new ApiError('Transient', message || code || reason, { ...line, code: 0, reason, cause: thrown });
}

export function errorOfTimeout(line: RequestLine, timeoutMs: number): ApiError {
  return new ApiError('Transient', `no answer within ${timeoutMs} ms`, {
    ...line,
    code: 0,
    reason: networkReason.timeout,
  });
}

export function malformed(line: RequestLine, what: string): ApiError {
  return new ApiError('Transient', what, { ...line, code: 0, reason: networkReason.malformed });
}

export function errorOfSize(line: RequestLine, maxBytes: number): ApiError {
  const what = `the answer has more than ${maxBytes} bytes`;
  return new ApiError('Transient', what, { ...line, code: 0, reason: networkReason.tooLarge });
}

/**
 * Returns the code and the message of a thrown value. Node's own errors are recognized by shape: they may not be instances of
 * this realm's `Error`.
 */
function describe(thrown: unknown): { code: string; message: string } {
  if (typeof thrown !== 'object' || thrown === null) return { code: '', message: String(thrown) };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  const message = 'message' in thrown && typeof thrown.message === 'string' ? thrown.message : '';
  return { code, message };
}
