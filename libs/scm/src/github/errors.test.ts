import { TypedError, type ErrorType } from '@interlock/api';
import { describe, expect, test } from '@jest/globals';
import { mergeError, refusalError, saysAlreadyExists } from './errors.js';

const now = Date.parse('2026-01-01T00:00:00Z');
/** The server's clock is five minutes ahead of the local clock. */
const date = 'Thu, 01 Jan 2026 00:05:00 GMT';
const serverNow = Date.parse(date) / 1000;

interface Case {
  status: number;
  headers?: Record<string, string>;
  message?: string;
  errors?: unknown[];
  type: ErrorType;
  reason?: string;
  retryAfterMs?: number;
}

const secondary = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';

describe('refusalError', () => {
  test.each<Case>([
    { status: 401, message: 'Bad credentials', type: 'Unauthorized', reason: 'BadCredentials' },
    {
      status: 403,
      message: 'Resource not accessible by integration',
      type: 'Unauthorized',
      reason: 'Forbidden',
    },
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': String(serverNow + 60) },
      type: 'Unauthorized',
    },
    { status: 403, headers: { 'retry-after': '30' }, type: 'RateLimited', retryAfterMs: 30_000 },
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(serverNow + 60) },
      type: 'RateLimited',
      retryAfterMs: 60_000,
    },
    {
      status: 429,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(serverNow - 60) },
      type: 'RateLimited',
      retryAfterMs: 0,
    },
    { status: 403, message: secondary, type: 'RateLimited' },
    {
      status: 403,
      message: 'You have triggered an abuse detection mechanism.',
      type: 'RateLimited',
    },
    { status: 429, type: 'RateLimited' },
    {
      status: 429,
      headers: { 'retry-after': 'Thu, 01 Jan 2026 00:05:09 GMT' },
      type: 'RateLimited',
      retryAfterMs: 9_000,
    },
    { status: 429, headers: { 'retry-after': 'soon' }, type: 'RateLimited' },
    { status: 404, message: 'Not Found', type: 'NotFound' },
    { status: 410, type: 'NotFound' },
    { status: 409, type: 'Conflict' },
    { status: 400, type: 'Invalid' },
    { status: 422, message: 'Validation Failed', type: 'Invalid', reason: 'Invalid' },
    {
      status: 422,
      errors: [{ code: 'custom', message: 'No commits between main and next' }],
      type: 'Invalid',
      reason: 'NoCommits',
    },
    {
      status: 422,
      errors: [{ resource: 'PullRequest', field: 'head', code: 'invalid' }],
      type: 'Invalid',
      reason: 'BranchMissing',
    },
    { status: 408, type: 'Transient' },
    { status: 500, type: 'Transient' },
    { status: 503, type: 'Transient' },
    { status: 503, headers: { 'retry-after': '30' }, type: 'Transient', retryAfterMs: 30_000 },
    { status: 503, headers: { 'x-ratelimit-remaining': '0' }, type: 'Transient' },
    { status: 301, message: 'Moved Permanently', type: 'Permanent', reason: 'Moved' },
    { status: 418, type: 'Permanent' },
  ])('classifies the answer %j', ({ status, headers = {}, message, errors, type, reason, retryAfterMs }) => {
    const error = refusalError(
      'create pull request of acme/web',
      { status, headers: { date, ...headers }, body: { message, errors } },
      now,
    );
    expect(error.type).toBe(type);
    if (reason !== undefined) expect(error.reason).toBe(reason);
    expect(error.retryAfterMs).toBe(retryAfterMs);
    expect(error.message).toContain('create pull request of acme/web');
    expect(error.message).toContain(String(status));
  });

  test('quotes the field errors of the API, in one line of bounded length', () => {
    const errors = [{ message: 'first\nline' }, { field: 'title', code: 'missing_field' }, 'plain'];
    const body = { message: 'Validation Failed', errors };
    const { message } = refusalError('x', { status: 422, headers: {}, body }, now);
    expect(message).toBe('x: HTTP 422: Validation Failed; first line; title: missing_field; plain');
    const long = refusalError('x', { status: 422, headers: {}, body: { message: 'y'.repeat(9999) } }, now);
    expect(long.message.length).toBeLessThan(600);
  });

  test.each(['<html>', null, 7, [], { message: 7 }])('reports the malformed body %j as Transient', (body) => {
    expect(refusalError('x', { status: 502, headers: {}, body }, now).type).toBe('Transient');
  });
});

describe('saysAlreadyExists', () => {
  const refused = (message: string, status = 422) =>
    refusalError(
      'create',
      { status, headers: {}, body: { message: 'Validation Failed', errors: [{ message }] } },
      now,
    );

  test('distinguishes the refusal of a second pull request from other refusals', () => {
    expect(saysAlreadyExists(refused('A pull request already exists for acme:next.'))).toBe(true);
    expect(saysAlreadyExists(refused('No commits between a and b'))).toBe(false);
    expect(saysAlreadyExists(refused('A pull request already exists for acme:next.', 404))).toBe(false);
  });
});

describe('mergeError', () => {
  test.each<[number, string, ErrorType, string]>([
    [409, 'Head branch was modified. Review and try the merge again.', 'Conflict', 'HeadMoved'],
    [405, 'Base branch was modified. Review and try the merge again.', 'Conflict', 'BaseMoved'],
    [405, 'Squash merges are not allowed on this repository.', 'Permanent', 'MergeMethodNotAllowed'],
    [405, 'Merge commits are not allowed on this repository.', 'Permanent', 'MergeMethodNotAllowed'],
    [405, 'Pull Request has merge conflicts', 'Conflict', 'MergeConflict'],
    [405, 'Required status check "promotion" is expected.', 'Conflict', 'Blocked'],
    [405, 'At least 1 approving review is required by reviewers with write access.', 'Conflict', 'Blocked'],
    [405, 'Repository rule violations found', 'Conflict', 'Blocked'],
    [405, 'Pull Request is closed', 'Conflict', 'NotOpen'],
    [405, 'Pull Request is not mergeable', 'Conflict', 'NotMergeable'],
  ])('classifies HTTP %i with the message %j', (status, message, type, reason) => {
    const refused = refusalError('merge', { status, headers: {}, body: { message } }, now);
    expect(mergeError(refused)).toMatchObject({ type, reason });
    expect(mergeError(refused).message).toContain(message);
  });

  test.each(['behind', 'conflict', 'review'])('does not read the name of the repository acme/%s', (name) => {
    const body = { message: 'Pull Request is not mergeable' };
    const refused = refusalError(
      `merge pull request 7 of acme/${name}`,
      { status: 405, headers: {}, body },
      now,
    );
    expect(mergeError(refused).reason).toBe('NotMergeable');
  });

  test.each(['head sha ', 'head ', 'base '])('reads many repetitions of %j in one pass', (unit) => {
    const body = { message: unit.repeat(200_000) };
    expect(mergeError(new TypedError('Conflict', body.message)).reason).toBe('NotMergeable');
    expect(refusalError('open', { status: 422, headers: {}, body }, now).type).toBe('Invalid');
  });

  test('does not change other errors', () => {
    const error = new TypedError('NotFound', 'gone');
    expect(mergeError(error)).toBe(error);
  });
});
