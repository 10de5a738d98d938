import { describe, expect, test } from '@jest/globals';
import { refusalError } from './errors.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const refuse = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  refusalError('update merge request 7 of acme/web', { status, headers, body }, now);

describe('refusalError', () => {
  test.each([
    [400, 'Invalid'],
    [401, 'Unauthorized'],
    [403, 'Unauthorized'],
    [404, 'NotFound'],
    [405, 'Conflict'],
    [409, 'Conflict'],
    [422, 'Invalid'],
    [429, 'RateLimited'],
    [500, 'Transient'],
    [302, 'Permanent'],
    [418, 'Permanent'],
  ])('classifies HTTP %i as %s', (status, type) => {
    expect(refuse(status, { message: 'x' })).toMatchObject({ type, status });
  });

  test.each<[unknown, string]>([
    [{ message: '404 Project Not Found' }, '404 Project Not Found'],
    [{ message: ['one', 'two'] }, 'one; two'],
    [{ message: { title: ["can't be blank", 'is short'] } }, "title can't be blank, is short"],
    [{ error: 'state is missing' }, 'state is missing'],
    [
      { error: 'insufficient_scope', error_description: 'The request requires more' },
      'insufficient_scope; The',
    ],
    ['Retry later\n', 'Retry later'],
    [{}, 'no message'],
    [null, 'no explanation'],
    [[], 'no message'],
  ])('quotes %j as %s', (body, said) => {
    expect(refuse(400, body).message).toContain(said);
  });

  test('states when to retry', () => {
    expect(refuse(429, '', { 'retry-after': '30' }).retryAfterMs).toBe(30_000);
    const window = { 'ratelimit-remaining': '0', 'ratelimit-reset': String(now / 1000 + 9) };
    expect(refuse(429, '', window).retryAfterMs).toBe(9_000);
    expect(refuse(429, '').retryAfterMs).toBeUndefined();
  });
});
