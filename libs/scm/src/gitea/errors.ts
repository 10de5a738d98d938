import { TypedError, isTyped, type ErrorType } from '@interlock/api';
import { RefusalError } from '../http/errors.js';
import type { Dialect } from '../http/governed.js';
import { createDialect } from '../http/json-api.js';

/** The dialect of Gitea for refusals. */
export const giteaDialect: Dialect = createDialect({
  invalidReason: (text) => (/no changes between/i.test(text) ? 'NoCommits' : undefined),
});

/** Explains the refusal of a merge, if its text states the reason (Gitea, "Merge a pull request": 405 and 409). */
export function mergeError(error: unknown): unknown {
  if (!isTyped(error, 'Conflict')) return error;
  const [type, reason] = mergeReason(error instanceof RefusalError ? error.text : error.message);
  return new TypedError(type, error.message, { reason });
}

function mergeReason(message: string): [ErrorType, string] {
  if (/head out of date/i.test(message)) return ['Conflict', 'HeadMoved'];
  if (/push out of date/i.test(message)) return ['Conflict', 'BaseMoved'];
  if (/behind the base/i.test(message)) return ['Conflict', 'Behind'];
  if (/allowed merge style/i.test(message)) return ['Permanent', 'MergeMethodNotAllowed'];
  if (
    /status check|approval|review|protected|not allowed to merge|work in progress|rejected/i.test(message)
  ) {
    return ['Conflict', 'Blocked'];
  }
  return ['Conflict', 'NotMergeable'];
}
