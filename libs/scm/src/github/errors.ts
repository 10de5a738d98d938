import { TypedError, type ErrorType, type TypedErrorOptions } from '@interlock/api';

/** An answer of the API that is no success. */
export interface Refusal {
  status: number;
  headers: Readonly<Record<string, string | number | undefined>>;
  body: unknown;
}

/** A refusal, typed; keeps what recovery needs to know. */
export class RefusalError extends TypedError {
  readonly status: number;
  /** Milliseconds since the epoch by the server's clock. */
  readonly serverTime: number;

  constructor(
    type: ErrorType,
    message: string,
    options: TypedErrorOptions & { status: number; serverTime: number },
  ) {
    super(type, message, options);
    this.status = options.status;
    this.serverTime = options.serverTime;
  }
}

const maxMessageLength = 500;

/**
 * Turns a refusal of the API into what it means.
 *
 * @param what operation and repository, such as `merge pull request 7 of acme/web`.
 * @param now milliseconds since the epoch.
 */
export function refusalError(what: string, refusal: Refusal, now: number): RefusalError {
  const { status } = refusal;
  const said = messageOf(refusal.body);
  const fail = (type: ErrorType, hint: string, options?: TypedErrorOptions): RefusalError =>
    new RefusalError(type, `${what}: HTTP ${status}${hint === '' ? '' : `, ${hint}`}: ${said}`, {
      ...options,
      status,
      serverTime: serverTime(refusal.headers, now),
    });

  if (isRateLimit(refusal, said)) {
    const retryAfterMs = retryAfter(refusal, now);
    return fail('RateLimited', 'rate limit', retryAfterMs === undefined ? {} : { retryAfterMs });
  }
  if (status === 401) return fail('Unauthorized', 'the credential is refused', { reason: 'BadCredentials' });
  if (status === 403) {
    return fail('Unauthorized', 'the credential lacks a permission', { reason: 'Forbidden' });
  }
  if (status === 404 || status === 410) {
    return fail('NotFound', 'it does not exist, or the credential may not see it');
  }
  if (status === 405 || status === 409) return fail('Conflict', '');
  if (status === 400 || status === 422) return fail('Invalid', '', validationReason(said));
  if (status === 408 || status >= 500) return fail('Transient', '');
  if (status >= 300 && status < 400) {
    return fail('Permanent', 'it has moved; correct the owner and name in the GitRepository', {
      reason: 'Moved',
    });
  }
  return fail('Permanent', '');
}

/** What the refusal of a merge means; for statuses 405 and 409 only (REST API, "Merge a pull request"). */
export function mergeError(error: TypedError): TypedError {
  if (error.type !== 'Conflict') return error;
  const [type, reason] = mergeReason(error.message);
  return new TypedError(type, error.message, { reason });
}

function mergeReason(message: string): [ErrorType, string] {
  if (/head branch was modified|head sha .*match/i.test(message)) return ['Conflict', 'HeadMoved'];
  if (/base branch was modified/i.test(message)) return ['Conflict', 'BaseMoved'];
  if (/(merge commits|squash merges|rebase merges) are not allowed/i.test(message)) {
    return ['Permanent', 'MergeMethodNotAllowed'];
  }
  if (/conflict/i.test(message)) return ['Conflict', 'MergeConflict'];
  if (/required|review|protected|rule|policy|draft|status check/i.test(message))
    return ['Conflict', 'Blocked'];
  if (/closed|already merged/i.test(message)) return ['Conflict', 'NotOpen'];
  return ['Conflict', 'NotMergeable'];
}

function validationReason(said: string): TypedErrorOptions {
  if (/no commits between/i.test(said)) return { reason: 'NoCommits' };
  if (/\b(head|base)\b[^;]*\binvalid\b/i.test(said)) return { reason: 'BranchMissing' };
  return {};
}

/** @returns whether a 422 says that an open pull request from that head to that base exists. */
export function saysAlreadyExists(error: TypedError): boolean {
  return error.type === 'Invalid' && /pull request already exists/i.test(error.message);
}

/**
 * GitHub, "Rate limits for the REST API": status 403 or 429, with the header of the exhausted limit, with
 * `retry-after`, or with only a message.
 */
function isRateLimit({ status, headers }: Refusal, said: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    String(headers['x-ratelimit-remaining']) === '0' ||
    /rate limit|abuse detection/i.test(said)
  );
}

/** @returns milliseconds, or undefined when the answer does not say how long. */
function retryAfter({ headers }: Refusal, now: number): number | undefined {
  const after = headers['retry-after'];
  if (after !== undefined) {
    const seconds = Number(after);
    const ms = Number.isFinite(seconds)
      ? seconds * 1000
      : Date.parse(String(after)) - serverTime(headers, now);
    return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
  }
  if (String(headers['x-ratelimit-remaining']) !== '0') return undefined;
  const reset = Number(headers['x-ratelimit-reset']) * 1000;
  return Number.isFinite(reset) ? Math.max(0, reset - serverTime(headers, now)) : undefined;
}

/** @returns the time by the server's clock, in milliseconds, so that a wrong clock here does not matter. */
export function serverTime(headers: Refusal['headers'], now: number): number {
  const date = Date.parse(String(headers['date']));
  return Number.isFinite(date) ? date : now;
}

/** @returns `message` and the `errors` of a GitHub error body, in one line of bounded length. */
function messageOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return 'no explanation';
  const message = 'message' in body && typeof body.message === 'string' ? body.message : 'no message';
  const errors = 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
  const text = [message, ...errors.map(fieldError)].join('; ').replace(/\s+/g, ' ');
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}

function fieldError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('message' in error && typeof error.message === 'string') return error.message;
  const field = 'field' in error ? String(error.field) : 'request';
  const code = 'code' in error ? String(error.code) : 'invalid';
  return `${field}: ${code}`;
}
