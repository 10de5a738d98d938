import { TypedError, type ErrorType } from '@interlock/api';
import { askedPause, RefusalError, statedLimit, typedRefusal, type Refusal } from '../http/errors.js';
import type { Dialect } from '../http/governed.js';

const limitHeaders = 'x-ratelimit';

/** The dialect of GitHub for limits and refusals. */
export const githubDialect: Dialect = {
  rateLimit: (headers, now) => statedLimit(headers, limitHeaders, now),
  refusal: refusalError,
};

/** Returns the typed error for a refusal of the API; see {@link typedRefusal}. */
export function refusalError(what: string, refusal: Refusal, now: number): RefusalError {
  const text = messageOf(refusal.body);
  return typedRefusal(what, refusal, now, {
    text,
    rateLimited: isRateLimit(refusal, text),
    retryAfterMs: askedPause(refusal.headers, limitHeaders, now),
    invalidReason: validationReason(text),
    movedHint: 'correct the owner and name in the GitRepository',
  });
}

/** Returns the error for the refusal of a merge, for statuses 405 and 409 only (REST API, "Merge a pull request"). */
export function mergeError(error: TypedError): TypedError {
  if (error.type !== 'Conflict') return error;
  const [type, reason] = mergeReason(error instanceof RefusalError ? error.text : error.message);
  return new TypedError(type, error.message, { reason });
}

function mergeReason(message: string): [ErrorType, string] {
  if (/head branch was modified|head sha [^\n]{0,100}match/i.test(message)) return ['Conflict', 'HeadMoved'];
  if (/base branch was modified/i.test(message)) return ['Conflict', 'BaseMoved'];
  if (/(merge commits|squash merges|rebase merges) are not allowed/i.test(message)) {
    return ['Permanent', 'MergeMethodNotAllowed'];
  }
  if (/merge queue/i.test(message)) return ['Conflict', 'QueueRequired'];
  if (/out of date|not up.to.date|behind/i.test(message)) return ['Conflict', 'Behind'];
  if (/conflict/i.test(message)) return ['Conflict', 'MergeConflict'];
  if (/required|review|protected|rule|policy|draft|status check/i.test(message))
    return ['Conflict', 'Blocked'];
  if (/closed|already merged/i.test(message)) return ['Conflict', 'NotOpen'];
  return ['Conflict', 'NotMergeable'];
}

function validationReason(text: string): string | undefined {
  if (/no commits between/i.test(text)) return 'NoCommits';
  if (text.split(';').some((part) => isInvalidBranch(part))) return 'BranchMissing';
  return undefined;
}

function isInvalidBranch(text: string): boolean {
  const branch = text.search(/\b(head|base)\b/i);
  return branch >= 0 && /\binvalid\b/i.test(text.slice(branch));
}

/** Returns whether a 422 reports an existing open pull request from that head to that base. */
export function saysAlreadyExists(error: TypedError): boolean {
  return error.type === 'Invalid' && /pull request already exists/i.test(error.message);
}

/**
 * Returns whether a call was refused because of a rate limit (GitHub, "Rate limits for the REST API"): status 403 or
 * 429, with the header of the exhausted limit, with `retry-after`, or with only a message.
 */
function isRateLimit({ status, headers }: Refusal, text: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    String(headers['x-ratelimit-remaining']) === '0' ||
    /rate limit|abuse detection/i.test(text)
  );
}

/** Returns `message` and the `errors` of a GitHub error body, as one text. */
function messageOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return 'no explanation';
  const message = 'message' in body && typeof body.message === 'string' ? body.message : 'no message';
  const errors = 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
  return [message, ...errors.map(fieldError)].join('; ');
}

function fieldError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('message' in error && typeof error.message === 'string') return error.message;
  const field = 'field' in error ? String(error.field) : 'request';
  const code = 'code' in error ? String(error.code) : 'invalid';
  return `${field}: ${code}`;
}
