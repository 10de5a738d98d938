import { prefixOf } from '@interlock/base';
import { askedPause, statedLimit, typedRefusal, type Refusal, type RefusalError } from '../http/errors.js';
import type { Dialect } from '../http/governed.js';

const limitHeaders = 'ratelimit';

/** The dialect of GitLab for limits and refusals. */
export const gitlabDialect: Dialect = {
  rateLimit: (headers, now) => statedLimit(headers, limitHeaders, now),
  refusal: refusalError,
};

/** Returns the typed error for a refusal of the API; see {@link typedRefusal}. */
export function refusalError(what: string, refusal: Refusal, now: number): RefusalError {
  return typedRefusal(what, refusal, now, {
    text: messageOf(refusal.body),
    rateLimited: refusal.status === 429,
    retryAfterMs: askedPause(refusal.headers, limitHeaders, now),
    movedHint: 'correct the namespace and name in the GitRepository, or set its projectID',
  });
}

/**
 * Returns the explanation in the body of a refusal. `message` is a text, a list, or lists by field; `error` reports a
 * parameter; a limit is reported without JSON.
 */
function messageOf(body: unknown): string {
  if (typeof body === 'string') return prefixOf(body, 1000).trim();
  if (typeof body !== 'object' || body === null) return 'no explanation';
  const parts = ['message', 'error', 'error_description'].flatMap((field) =>
    textsOf(Object.getOwnPropertyDescriptor(body, field)?.value),
  );
  return parts.length === 0 ? 'no message' : parts.join('; ');
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([field, inner]) => `${field} ${textsOf(inner).join(', ')}`);
}
